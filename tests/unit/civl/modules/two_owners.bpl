var {:module "a"} {:layer 0, 3} x: int;
var {:module "b"} {:layer 0, 3} y: int;
procedure {:atomic} {:layer 1, 2} A() modifies x; { x := 1; x := y; }
procedure {:atomic} {:layer 1, 2} B() modifies x; { assert y > 0; x := 1; }
procedure {:atomic} {:layer 1, 2} C() modifies y; { y := y + 1; }
//! (3,65): Error: Action A uses variables of two modules at layer 1: y belongs to b, others to a
//! (4,66): Error: Action B uses variables of two modules at layer 1: x belongs to a, others to b
