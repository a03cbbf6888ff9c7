var {:layer 3, 1} x:int;
procedure {:layer 5, 4} {:atomic} A() { }
procedure {:layer 2, 1} I();
//! (1,18): Error: Invalid layer range
//! (3,24): Error: Invalid layer range
//! (2,34): Error: Invalid layer range
