var x:int;
procedure P(i:int) returns (r:int) requires i > 0; modifies x; { call r := P(x); x := r; while (x > 0) { x := x - 1; } }
