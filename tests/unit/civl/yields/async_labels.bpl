procedure {:left} {:layer 1, 5} LL() { }
procedure {:both} {:layer 1, 5} BB() { }
procedure {:yields} {:layer 0} {:refines "LL"} PL() { yield; }
procedure {:yields} {:layer 2} {:refines "BB"} PB() { yield; }
procedure {:yields} {:layer 2} S() { yield; async call S(); async call PL(); yield; }
procedure {:yields} {:layer 1} {:refines "LL"} U() { yield; async call PB(); call PL(); async call PB(); yield; }
procedure {:yields} {:layer 1} {:refines "LL"} V() { async call PB(); yield; }
//! (7,47): Error: Implementation V fails bracket check at layer 0. All code that accesses global variables must be bracketed by yields.
//! (7,47): Error: Implementation V fails bracket check at layer 1. All code that accesses global variables must be bracketed by yields.
