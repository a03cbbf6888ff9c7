var {:layer 0, 1} x:int;
procedure {:yields} {:layer 2} P(i:int)
  requires i > 0;
  requires {:layer 3} i > 1;
  requires {:layer 2, 1} x > i;
  ensures {:layer 1} {:layer 2} x > i && old(x) > 2;
{ yield; assert x > 0; assert {:layer 0} x > 0; yield; }
//! (6,32): Error: Global variable x is not available at layer 2
//! (6,45): Error: Global variable x is not available at layer 2
//! (3,2): Error: Specification layer(s) not present
//! (4,2): Error: Specification layer 3 is greater than enclosing procedure layer 2
//! (5,25): Error: Global variable x is not available at layer 2
