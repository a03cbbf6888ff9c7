var {:layer 0, 3} g:int;
procedure {:atomic} {:layer 1, 3} A() { }
function {:witness "g A A 2"} f(g:int): int;
function {:witness "g A A 3"} f2(g:int): bool;
//! (3,30): Error: No action begins, ends or is refined at layer 2
//! (4,30): Error: The witness function's result must have the type of g
