procedure {:left} {:layer 1, 2} {:right} A() { }
procedure {:yields} {:layer 1} {:refines "A"} P() { yield; }
//! (1,32): Warning: Ignoring duplicate mover type declaration (right).
//! (1,32): Warning: Ignoring duplicate mover type declaration (right).
