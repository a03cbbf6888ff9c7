procedure {:left} {:layer 1, 2} A() { var i:int; while (i < 3) { i := i + 1; } }
//! (1,32): Error: Atomic action specification can not have loops
