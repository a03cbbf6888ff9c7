procedure {:yields} {:layer 2} {:left} M() { yield; }
//! (1,45): Error: A mover procedure cannot contain explicit yield statements
