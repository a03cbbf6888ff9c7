// A counter that is read and written in two steps.
var {:layer 0,2} n: int;

procedure {:atomic} {:layer 2} AtomicAdd()
modifies n;
{ n := n + 1; }

procedure {:yields} {:layer 1} {:refines "AtomicAdd"} Add()
{
  var v: int;
  yield;
  call v := Load();
  yield; // others may add here
  call Store(v + 1);
  yield;
}

procedure {:yields} {:layer 1} {:refines "AtomicAdd"} Forget()
{
  yield;
  if (*)
  {
    call Increment();
    yield;
    call Increment();
  }
  yield;
}

procedure {:atomic} {:layer 2} AtomicClear()
modifies n;
{ n := -1; }

procedure {:yields} {:layer 1} {:refines "AtomicClear"} Clear()
{
  yield;
  call Store(-1);
  yield;
}

procedure {:yields} {:layer 1} Watch()
requires {:layer 1} n >= 0;
{
  yield;
  assert {:layer 1} n >= 0;
}

// It is no right mover: a Store may come between.
procedure {:right} {:layer 1} AtomicLoad() returns (v: int)
{ v := n; }
procedure {:yields} {:layer 0} {:refines "AtomicLoad"} Load() returns (v: int);

procedure {:atomic} {:layer 1} AtomicStore(v: int)
modifies n;
{ n := v; }
procedure {:yields} {:layer 0} {:refines "AtomicStore"} Store(v: int);

procedure {:atomic} {:layer 1} AtomicIncrement()
modifies n;
{ n := n + 1; }
procedure {:yields} {:layer 0} {:refines "AtomicIncrement"} Increment();

// Only where there is something to take.
procedure {:left} {:layer 1} AtomicTake()
modifies n;
{
  assert n > 0;
  n := n - 1;
}
procedure {:yields} {:layer 0} {:refines "AtomicTake"} Take();
