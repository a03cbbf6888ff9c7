procedure {:layer 1, 5} I() { call J(); call A(); call P(); }
procedure {:layer 2, 3} J();
procedure {:atomic} {:layer 1, 5} A() { }
procedure {:yields} {:layer 1} P();
//! (1,30): Error: Caller layers must be subset of callee layers
//! (1,40): Error: Introduction procedure can only call an introduction procedure
//! (1,50): Error: Introduction procedure can only call an introduction procedure
