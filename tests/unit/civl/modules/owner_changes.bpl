var {:module "m"} {:owner "late", 3} {:owner "client", 2} {:layer 0, 4} x: int;
procedure {:both} {:layer 1, 4} A() modifies x; { x := 1; }
procedure {:yields} {:layer 0} {:refines "A"} PA();
procedure {:yields} {:layer 1} {:module "m"} P1() { yield; call PA(); yield; assert {:layer 1} x == x; }
procedure {:yields} {:layer 2} {:refines "A"} {:module "client"} P2() { yield; call P1A(); yield; assert {:layer 2} x == x; }
procedure {:yields} {:layer 1} {:refines "A"} {:module "m"} P1A() { yield; call PA(); yield; }
procedure {:yields} {:layer 3} {:module "client"} P3() { yield; assert {:layer 2, 3} x > 0; call P2(); yield; }
procedure {:yields} {:layer 3} {:module "late"} P4() { yield; call P2(); yield; assert {:layer 3} x == x; }
//! (7,85): Error: This yield predicate speaks of x, which belongs to module late at layer 3; P3 is part of module client
//! (7,92): Error: This call of P2 touches x, which belongs to module late at layer 3; P3 is part of module client
