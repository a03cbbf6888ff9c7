var {:layer 0, 9} x:int;
procedure {:yields} {:layer 2} P(i:int)
  requires {:layer 1} x > 0;
  requires {:layer 1, 0, 2} x > 0;
  ensures {:layer 1} x > 1;
{ yield; assert {:layer 1} x > 0; }
//! (5,2): Error: No refinement on layer 1
//! (3,2): Error: No refinement on layer 1
//! (4,2): Error: No refinement on layer 0
//! (4,2): Error: No refinement on layer 1
