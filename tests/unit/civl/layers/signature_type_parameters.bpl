procedure {:atomic} {:layer 2, 4} A(i:int) { }
procedure {:yields} {:layer 1} {:refines "A"} P1<T>(i:int, t:T);
//! (2,46): Error: mismatched number of type parameters in refinement procedure: P1
