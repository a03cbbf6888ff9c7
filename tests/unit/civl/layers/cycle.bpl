procedure {:left} {:layer 2, 4} A() { async call P(); }
procedure {:left} {:layer 2, 4} B() { async call Q(); }
procedure {:yields} {:layer 1} {:refines "B"} P() { yield; }
procedure {:yields} {:layer 1} {:refines "A"} Q() { yield; }
//! (0,-1): Error: Atomic actions have cyclic dependency at layer 2
//! (0,-1): Error: Atomic actions have cyclic dependency at layer 4
