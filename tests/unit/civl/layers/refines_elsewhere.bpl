procedure {:left} {:layer 2, 4} L1() { }
procedure {:yields} {:layer 4} {:refines "L1"} P1() { yield; }
procedure {:yields} {:layer 0} {:refines "L1"} P2() { yield; }
//! (2,47): Error: Refined atomic action must be available at layer 5
//! (3,47): Error: Refined atomic action must be available at layer 1
