procedure {:yields} {:layer 1} {:refines "A"} P1();
procedure {:layer 2} A() { }
//! (1,46): Error: Could not find refined atomic action
