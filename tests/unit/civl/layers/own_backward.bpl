var {:layer 0, 3} g:int;
procedure {:atomic} {:layer 1, 3} A() modifies g; { g := {:backward} g + 1; }
//! (2,54): Error: A backward assignment whose target appears on its right side is not supported
