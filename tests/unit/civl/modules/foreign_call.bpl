var {:module "m"} {:layer 0, 3} x: int;
procedure {:both} {:layer 1, 2} A() modifies x; { x := 1; }
procedure {:yields} {:layer 0} {:refines "A"} PA();
procedure {:yields} {:layer 1} {:module "m"} Good() { yield; call PA(); yield; }
procedure {:yields} {:layer 2} {:module "other"} Bad() { yield; call PA(); yield; par PA() | PA(); yield; }
//! (5,64): Error: This call of PA touches x, which belongs to module m at layer 1; Bad is part of module other
//! (5,82): Error: This call of PA touches x, which belongs to module m at layer 1; Bad is part of module other
//! (5,82): Error: This call of PA touches x, which belongs to module m at layer 1; Bad is part of module other
