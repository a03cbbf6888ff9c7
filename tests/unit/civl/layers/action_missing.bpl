procedure {:atomic} {:layer 1, 2} A(i:int);
//! (1,34): Error: Atomic action specification missing
