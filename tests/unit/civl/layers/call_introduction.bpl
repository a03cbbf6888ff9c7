var {:layer 2, 5} x:int;
procedure {:layer 2, 5} I() modifies x; { x := 1; }
procedure {:layer 2, 5} J() returns (o:int) { o := x; }
procedure {:layer 1, 1} K(i:int) { }
procedure {:yields} {:layer 2} T() { var {:layer 1} b:int; var {:layer 2} a:int; yield; call I(); call b := J(); call a := J(); call K(1); yield; }
procedure {:yields} {:layer 1} U() { yield; call I(); yield; }
//! (5,103): Error: Output variable b must be introduced at layer 2
//! (5,128): Error: Called introduction procedure K is not available at layer 2
//! (6,44): Error: Called introduction procedure I is not available at layer 1
