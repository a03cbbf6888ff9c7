var {:layer 0, 9} x:int;
procedure {:yields} {:layer 2} P(i:int) returns (r:int)
{
  yield;
  assert x > 0;
  x := x + i;
  assert {:layer 2} x > 0;
  x := 3;
  assert i > 0;
  yield;
}
procedure {:yields} {:layer 2} Q(i:int) { yield; x := 2; assert {:layer 2} true; x := 4; yield; }
//! (5,2): Error: Specification layer(s) not present
//! (8,2): Error: Shared variable can be accessed only in introduction procedures, atomic actions, and specifications
//! (9,2): Error: Specification layer(s) not present
//! (12,81): Error: Shared variable can be accessed only in introduction procedures, atomic actions, and specifications
