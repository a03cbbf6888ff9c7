var {:module "a"} {:layer 1, 3} x: int;
var {:module "b"} {:layer 1, 3} y: int;
procedure {:layer 1, 3} I(i: int) modifies x; { x := i; }
procedure {:layer 1, 3} J(i: int) { assert i == i + y - y; }
procedure {:yields} {:layer 1} {:module "a"} P() { yield; call I(1); call J(2); yield; }
procedure {:yields} {:layer 2} {:module "b"} Q() { yield; call J(2); yield; }
procedure {:yields} {:layer 1} {:module "b"} {:left} M() modifies x; { call I(1); }
procedure {:yields} {:layer 1} {:module "b"} N() { yield; call M(); yield; }
//! (5,69): Error: This call of J touches y, which belongs to module b at layer 1; P is part of module a
//! (7,71): Error: This call of I touches x, which belongs to module a at layer 1; M is part of module b
//! (8,58): Error: This call of M touches x, which belongs to module a at layer 1; N is part of module b
