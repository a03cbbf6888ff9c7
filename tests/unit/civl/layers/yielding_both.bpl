procedure {:left} {:layer 2, 4} L1() { }
procedure {:yields} {:layer 1} {:left} {:refines "L1"} P1();
//! (2,55): Error: A yielding procedure cannot have both a refines annotation and a mover type
