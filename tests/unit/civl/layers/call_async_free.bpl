procedure {:left} {:layer 2, 5} A() { async call PB(); }
procedure {:left} {:layer 4, 5} B() { }
procedure {:yields} {:layer 3} {:refines "B"} PB() { yield; }
procedure {:yields} {:layer 1} {:refines "A"} PA() { yield; async call PB(); yield; }
procedure {:yields} {:layer 2} S() { yield; call PA(); async call PB(); yield; }
procedure {:yields} {:layer 2} {:left} M() { call PA(); }
procedure {:yields} {:layer 4} T() { yield; call PA(); yield; }
//! (5,44): Error: Disappearing layer of caller cannot be lower than async-free layer of callee
//! (5,61): Error: Disappearing layer of caller cannot be lower than that of callee
//! (6,45): Error: Disappearing layer of caller cannot be lower than async-free layer of callee
//! (6,45): Error: Modified variable pendingAsyncMultiset does not appear in modifies clause of mover procedure.
