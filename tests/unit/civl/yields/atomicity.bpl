procedure {:atomic} {:layer 1, 5} A() { }
procedure {:right} {:layer 1, 5} RR() { }
procedure {:left} {:layer 1, 5} LL() { }
procedure {:yields} {:layer 0} {:refines "A"} PA();
procedure {:yields} {:layer 0} {:refines "RR"} PR();
procedure {:yields} {:layer 0} {:refines "LL"} PL();
procedure {:yields} {:layer 1} P() { yield; call PR(); call PA(); call PL(); yield; }
procedure {:yields} {:layer 1} Q() { yield; call PA(); call PA(); yield; }
procedure {:yields} {:layer 1} R() { yield; call PL(); call PR(); yield; }
procedure {:yields} {:layer 1} S() { yield; while (*) { call PL(); } yield; }
procedure {:yields} {:layer 1} T() { yield; while (*) invariant {:layer 1} {:terminates} true; { call PL(); } yield; }
procedure {:yields} {:layer 1} U() { yield; while (*) { call PR(); } call PA(); yield; }
procedure {:yields} {:layer 1} V() { yield; if (*) { call PA(); } else { call PL(); } par PL() | PL(); par PR() | PR(); yield; }
//! (8,31): Error: Implementation Q fails atomicity check at layer 1. Transactions must be separated by yields.
//! (9,31): Error: Implementation R fails atomicity check at layer 1. Transactions must be separated by yields.
//! (10,31): Error: Implementation S fails atomicity check at layer 1. Transactions must be separated by yields.
//! (13,31): Error: Implementation V fails atomicity check at layer 1. Transactions must be separated by yields.
