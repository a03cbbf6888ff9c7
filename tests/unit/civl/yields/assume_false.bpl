procedure {:atomic} {:layer 1, 5} A() { }
procedure {:yields} {:layer 0} {:refines "A"} PA();
procedure {:yields} {:layer 1} P() { yield; call PA(); if (*) { assume false; call PA(); } yield; }
procedure {:yields} {:layer 1} Q() { yield; call PA(); yield; if (*) { assume false; call PA(); } }
//! (3,31): Error: Implementation P fails bracket check at layer 1. All code that accesses global variables must be bracketed by yields.
//! (3,31): Error: Implementation P fails atomicity check at layer 1. Transactions must be separated by yields.
//! (4,31): Error: Implementation Q fails bracket check at layer 0. All code that accesses global variables must be bracketed by yields.
//! (4,31): Error: Implementation Q fails bracket check at layer 1. All code that accesses global variables must be bracketed by yields.
