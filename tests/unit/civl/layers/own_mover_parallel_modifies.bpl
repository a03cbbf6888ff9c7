var {:layer 0, 5} x:int;
procedure {:both} {:layer 1, 5} A() modifies x; { x := 1; }
procedure {:yields} {:layer 0} {:refines "A"} PA();
procedure {:yields} {:layer 1} {:atomic} M() { par PA() | PA(); }
//! (4,47): Error: Modified variable x does not appear in modifies clause of mover procedure.
//! (4,47): Error: Modified variable x does not appear in modifies clause of mover procedure.
