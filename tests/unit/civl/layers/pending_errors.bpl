procedure {:left} {:layer 2, 4} L1() { }
procedure {:atomic} {:layer 2, 4} N1() { }
procedure {:left} {:layer 2, 3} L2(i:int) { }
procedure {:yields} {:layer 1} {:refines "L1"} P1();
procedure {:yields} {:layer 1} {:refines "N1"} P2();
procedure {:yields} {:layer 2} {:refines "L2"} P3({:layer 2} i:int);
procedure {:yields} {:layer 1} P4();
procedure {:right} {:layer 1, 4} A() { async call P1(); }
procedure {:atomic} {:layer 1, 4} B() { async call P2(); async call P3(1); async call P4(); }
procedure {:left} {:layer 1, 3} C() { call P1(); }
procedure {:left} {:layer 2, 3} D() { async call P3(2); }
//! (8,45): Error: Atomic action with pending async must have mover type atomic or left
//! (9,46): Error: Target of async call must be a left mover
//! (9,63): Error: Callee disappears before caller
//! (9,63): Error: Target of a pending async must have all input variables introduced
//! (9,81): Error: Target of a pending async must be an action procedure
//! (10,38): Error: Call command not allowed inside an atomic action
