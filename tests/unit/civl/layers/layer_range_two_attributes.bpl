var {:layer 1} {:layer 3} x:int;
procedure {:both} {:layer 2, 3} A() modifies x; { x := 1; }
