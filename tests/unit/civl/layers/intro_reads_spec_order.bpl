var {:layer 2, 5} x:int;
procedure {:layer 1, 3} I(i:int) requires x == i; ensures x > 1; { assert (forall j:int :: {j + x} j > x); }
//! (2,103): Error: Shared variable is not accessible in introduction procedure
//! (2,96): Error: Shared variable is not accessible in introduction procedure
//! (2,58): Error: Shared variable is not accessible in introduction procedure
//! (2,42): Error: Shared variable is not accessible in introduction procedure
