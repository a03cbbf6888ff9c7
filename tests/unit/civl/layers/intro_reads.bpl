var {:layer 2, 5} x:int;
procedure {:layer 1, 3} I(i:int) requires x == i; { assert x > 0; }
//! (2,59): Error: Shared variable is not accessible in introduction procedure
//! (2,42): Error: Shared variable is not accessible in introduction procedure
