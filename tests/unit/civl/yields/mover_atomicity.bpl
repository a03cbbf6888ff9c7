procedure {:atomic} {:layer 1, 5} A() { }
procedure {:right} {:layer 1, 5} RR() { }
procedure {:left} {:layer 1, 5} LL() { }
procedure {:yields} {:layer 0} {:refines "A"} PA();
procedure {:yields} {:layer 0} {:refines "RR"} PR();
procedure {:yields} {:layer 0} {:refines "LL"} PL();
procedure {:yields} {:layer 1} {:left} M1() { call PL(); call PL(); }
procedure {:yields} {:layer 1} {:left} M2() { call PL(); call PR(); }
procedure {:yields} {:layer 1} {:right} M3() { call PR(); call PR(); }
procedure {:yields} {:layer 1} {:right} M4() { call PR(); call PL(); }
procedure {:yields} {:layer 1} {:atomic} M5() { call PR(); call PA(); call PL(); }
procedure {:yields} {:layer 1} {:atomic} M6() { call PL(); call PA(); }
procedure {:yields} {:layer 1} {:both} M7() { }
procedure {:yields} {:layer 1} {:left} M8() { call M9(); }
procedure {:yields} {:layer 1} {:left} M9() { call M8(); }
procedure {:yields} {:layer 1} {:left} {:terminates} M10() { call M10(); }
procedure {:yields} {:layer 1} {:left} M11() { call M10(); call M1(); }
//! (8,39): Error: The atomicity declared for mover procedure is not valid
//! (10,40): Error: The atomicity declared for mover procedure is not valid
//! (12,41): Error: The atomicity declared for mover procedure is not valid
//! (13,39): Error: Implementation M7 fails bracket check at layer 0. All code that accesses global variables must be bracketed by yields.
//! (14,39): Error: The atomicity declared for mover procedure is not valid
//! (15,39): Error: The atomicity declared for mover procedure is not valid
