procedure {:yields} {:layer 2} {:left} M() { }
procedure {:yields} {:layer 2} {:right} N() { }
procedure {:yields} {:layer 3} S() { yield; call M(); yield; async call N(); yield; }
procedure {:yields} {:layer 2} T() { yield; call M(); yield; async call N(); yield; }
//! (3,44): Error: The layer of the caller must be equal to the layer of the callee
//! (3,67): Error: The layer of the caller must be equal to the layer of the callee
//! (3,67): Error: Target of async call must be a left mover
//! (4,67): Error: Target of async call must be a left mover
