procedure {:atomic} {:layer 2, 5} A() { }
procedure {:yields} {:layer 1} T() { yield; call A(); yield; }
//! (2,44): Error: A yielding procedure can only call yielding or introduction procedures
