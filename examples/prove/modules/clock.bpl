// clock.bpl: a clock that gives each stamp once, and none from the future. A module of three; see server.bpl.
//
//   layer 0   the machine: a time that only grows, and the last stamp that was given
//   layer 1   Tick: wait until the time is past the last stamp, and try to make it the new one
//
// Both variables are this module's as long as its code is code. From layer 2 on they are the server's.

var {:layer 0,3} {:owner "server", 2} time: int;  // counted by the machine
var {:layer 0,3} {:owner "server", 2} last: int;  // the last stamp that was given

// ---- layer 1: stamps ----

procedure {:atomic} {:layer 2,3} AtomicTick() returns (t: int)
modifies last;
{ assume last < t && t <= time; last := t; }

procedure {:yields} {:layer 1} {:refines "AtomicTick"} Tick() returns (t: int)
{
  var seen: int;
  var ok: bool;
  yield;
  while (true)
  {
    call seen := LoadLast();
    yield;
    call t := LoadTime();
    yield;
    assert {:layer 1} t <= time;
    if (seen < t)
    {
      call ok := SwapLast(seen, t);
      if (ok) { break; }
    }
    yield;
  }
  yield;
}

procedure {:atomic} {:layer 2,3} AtomicPulse()
modifies time;
{ time := time + 1; }

procedure {:yields} {:layer 1} {:refines "AtomicPulse"} Pulse()
{
  yield;
  call CountTime();
  yield;
}

// ---- layer 0: the machine ----

procedure {:atomic} {:layer 1} AtomicLoadTime() returns (t: int)
{ t := time; }
procedure {:yields} {:layer 0} {:refines "AtomicLoadTime"} LoadTime() returns (t: int);

procedure {:atomic} {:layer 1} AtomicCountTime()
modifies time;
{ time := time + 1; }
procedure {:yields} {:layer 0} {:refines "AtomicCountTime"} CountTime();

procedure {:atomic} {:layer 1} AtomicLoadLast() returns (t: int)
{ t := last; }
procedure {:yields} {:layer 0} {:refines "AtomicLoadLast"} LoadLast() returns (t: int);

procedure {:atomic} {:layer 1} AtomicSwapLast(seen: int, t: int) returns (ok: bool)
modifies last;
{ ok := last == seen; if (ok) { last := t; } }
procedure {:yields} {:layer 0} {:refines "AtomicSwapLast"} SwapLast(seen: int, t: int) returns (ok: bool);
