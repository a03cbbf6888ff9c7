var x:int;
procedure {:left} {:layer 1, 2} A() { assert x > 0; assert x > 1; assume x > 2; assert x > 3; if (*) { assert x > 4; } }
//! (2,80): Error: Assert is only allowed in the gate of an atomic action
//! (2,103): Error: Assert is only allowed in the gate of an atomic action
