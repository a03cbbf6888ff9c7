// server.bpl: writers and readers of a stored value, with stamps from a clock, in three modules:
//
//   clock.bpl    owns time and last, up to layer 1
//   store.bpl    owns the lock, and up to layer 2 the value and its stamp
//   server.bpl   owns what the others do not own any more
//
// At layer 3 Tick and Set are atomic steps. The clock and the store have done their work, and what was theirs is the
// server's: only here something is said about both at once, that no value is from the future.
//
//   heddle prove --module clock.bpl store.bpl server.bpl

function {:inline} OfThePast(stamp: int, time: int): bool
{ stamp <= time }

// The latest stamp wins. Who comes too late for its stamp leaves what is there.
procedure {:atomic} {:layer 4} AtomicPut({:linear "tid"} tid: Tid, v: int) returns (t: int)
modifies value, stamp;
{ if (stamp < t) { value := v; stamp := t; } }

procedure {:yields} {:layer 3} {:refines "AtomicPut"} Put({:linear "tid"} tid: Tid, v: int) returns (t: int)
requires {:layer 1,2} tid != nobody;
requires {:layer 3} OfThePast(stamp, time);
ensures {:layer 3} OfThePast(stamp, time);
{
  yield;
  assert {:layer 3} OfThePast(stamp, time);
  call t := Tick();
  yield;
  assert {:layer 3} OfThePast(stamp, time) && t <= time;
  call Set(tid, v, t);
  yield;
  assert {:layer 3} OfThePast(stamp, time);
}

// With the stamp of an own Put: what was put there, or something later.
procedure {:atomic} {:layer 4} AtomicGet({:linear "tid"} tid: Tid, t: int) returns (v: int)
{ assume t <= stamp; v := value; }

procedure {:yields} {:layer 3} {:refines "AtomicGet"} Get({:linear "tid"} tid: Tid, t: int) returns (v: int)
requires {:layer 1,2} tid != nobody;
{
  yield;
  call v := Await(tid, t);
  yield;
}

// The timer's interrupt.
procedure {:yields} {:layer 3} Timer()
{
  yield;
  while (true)
  {
    call Pulse();
    yield;
  }
  yield;
}
