procedure {:left} {:layer 2, 4} A() { async call P(); }
procedure {:yields} {:layer 1} {:refines "A"} P() { yield; }
procedure {:yields} {:layer 3} S() { yield; }
//! (0,-1): Error: Atomic actions have cyclic dependency at layer 2
//! (0,-1): Error: Atomic actions have cyclic dependency at layer 3
//! (0,-1): Error: Atomic actions have cyclic dependency at layer 4
