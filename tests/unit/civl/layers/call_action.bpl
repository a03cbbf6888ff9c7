procedure {:atomic} {:layer 2, 3} A(i:int) { }
procedure {:left} {:layer 4, 5} B(i:int) { }
procedure {:yields} {:layer 1} {:refines "A"} PA(i:int) { yield; }
procedure {:yields} {:layer 3} {:refines "B"} PB({:layer 3} i:int) { yield; }
procedure {:yields} {:layer 1} {:refines "A"} C1(i:int) { yield; call PA(1); call PB(2); async call PB(3); yield; }
procedure {:yields} {:layer 4} {:refines "B"} C2(i:int) { yield; call PA(1); yield; }
procedure {:yields} {:layer 3} S() { yield; async call PA(1); yield; }
//! (5,65): Error: The layer of the caller must be greater than the layer of the callee
//! (5,77): Error: The layer of the caller must be greater than the layer of the callee
//! (5,95): Error: Target of a pending async must have all input variables introduced
//! (6,65): Error: The callee is not available in the caller procedure
//! (7,50): Error: Target of async call must be a left mover
