var {:layer 0, 5} x:int;
procedure {:layer 1, 2} I() modifies x; { x := 1; }
//! (2,37): Error: Introduction procedures can modify shared variables only on their introduction layer
