procedure {:atomic} {:layer 1, 2} A(i:int);
implementation A(i:int) { }
implementation A(i:int) { }
//! (1,34): Error: More then one atomic action specification provided
