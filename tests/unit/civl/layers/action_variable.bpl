var {:layer 1, 3} x:int;
var {:layer 0, 2} y:int;
var {:layer 0, 3} z:int;
procedure {:atomic} {:layer 1, 3} A() modifies x, y, z; { x := x + y; y := z; z := 1; }
//! (4,58): Error: Shared variable x is not available in atomic action specification
//! (4,63): Error: Shared variable x is not available in atomic action specification
//! (4,67): Error: Shared variable y is not available in atomic action specification
//! (4,70): Error: Shared variable y is not available in atomic action specification
