var {:layer 0, 5} x:int;
var {:layer 0, 5} y:int;
var {:layer 2, 5} z:int;
procedure {:both} {:layer 1, 5} A() modifies x, y; { x := 1; havoc y; }
procedure {:yields} {:layer 0} {:refines "A"} PA();
procedure {:layer 2, 3} I() modifies z; { z := 1; }
procedure {:yields} {:layer 2} {:left} M() modifies x; { call PA(); call I(); call N(); }
procedure {:yields} {:layer 2} {:left} N() modifies y; { call PA(); }
//! (7,57): Error: Modified variable y does not appear in modifies clause of mover procedure.
//! (7,68): Error: Modified variable z does not appear in modifies clause of mover procedure.
//! (7,78): Error: Modified variable y does not appear in modifies clause of mover procedure.
//! (8,57): Error: Modified variable x does not appear in modifies clause of mover procedure.
