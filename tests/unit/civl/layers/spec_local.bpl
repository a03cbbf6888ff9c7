procedure {:yields} {:layer 2} P({:layer 1} i:int) returns ({:layer 2} o:int)
  requires {:layer 0} i > 0;
{
  var {:layer 2} l:int;
  var {:layer 1} k:int;
  yield;
  assert {:layer 0} i + k == 0;
  assert {:layer 1} i + k + l + o == 0;
  assert {:layer 1, 2} (forall j:int :: {j + l} j == l);
  yield;
}
procedure {:yields} {:layer 0} Q() { yield; }
procedure {:yields} {:layer 1} R() { yield; }
//! (7,20): Error: Local variable i is not available at layer 0
//! (7,24): Error: Local variable k is not available at layer 0
//! (8,28): Error: Local variable l is not available at layer 1
//! (8,32): Error: Local variable o is not available at layer 1
//! (9,53): Error: Local variable l is not available at layer 1
//! (9,45): Error: Local variable l is not available at layer 1
