procedure {:atomic} {:layer 1, 5} A() { }
procedure {:yields} {:layer 0} {:refines "A"} PA();
procedure {:yields} {:layer 1} P() { call PA(); yield; }
procedure {:yields} {:layer 1} Q() { yield; call PA(); }
procedure {:yields} {:layer 1} R() { yield; call PA(); yield; }
procedure {:yields} {:layer 1} S() { }
procedure {:yields} {:layer 0} T() { call I(); yield; }
procedure {:layer 0} I() { }
//! (3,31): Error: Implementation P fails bracket check at layer 1. All code that accesses global variables must be bracketed by yields.
//! (4,31): Error: Implementation Q fails bracket check at layer 1. All code that accesses global variables must be bracketed by yields.
//! (6,31): Error: Implementation S fails bracket check at layer 0. All code that accesses global variables must be bracketed by yields.
//! (6,31): Error: Implementation S fails bracket check at layer 1. All code that accesses global variables must be bracketed by yields.
//! (7,31): Error: Implementation T fails bracket check at layer 0. All code that accesses global variables must be bracketed by yields.
