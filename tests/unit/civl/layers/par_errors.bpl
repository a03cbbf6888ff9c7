procedure {:atomic} {:layer 2, 5} A() { }
procedure {:left} {:layer 3, 5} B() { }
procedure {:yields} {:layer 1} {:refines "A"} PA() { yield; }
procedure {:yields} {:layer 2} {:refines "B"} PB() { yield; }
procedure {:yields} {:layer 3} {:left} M() { }
procedure {:yields} {:layer 3} S() { yield; }
procedure {:yields} {:layer 3} T() { yield; par PA() | PB(); yield; par M() | S(); yield; par PB() | S(); yield; par PA() | PA(); yield; }
//! (7,44): Error: All atomic actions must be introduced at the same layer
//! (7,44): Error: The atomic actions in the parallel call must be all right movers or all left movers
//! (7,44): Error: Atomic actions must be introduced at the highest layer
//! (7,68): Error: Mover procedure cannot be part of a parallel call
//! (7,90): Error: Atomic actions must be introduced at the highest layer
//! (7,113): Error: The atomic actions in the parallel call must be all right movers or all left movers
