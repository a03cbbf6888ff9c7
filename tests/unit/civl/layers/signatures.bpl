type T;
function {:builtin "MapConst"} MapConstBool(bool): [T]bool;
function {:inline} {:linear "d"} C(t:T): [T]bool { MapConstBool(false)[t := true] }
procedure {:atomic} {:layer 2, 4} A(i:int, b:bool, {:linear "d"} t:T) returns (r:int) { r := i; }
procedure {:yields} {:layer 1} {:refines "A"} P1(i:int, b:bool, {:linear "d"} t:T) returns (r:bool);
procedure {:yields} {:layer 1} {:refines "A"} P2(i:int, c:int, {:linear_in "d"} t:T) returns (q:int, r:int);
procedure {:yields} {:layer 1} {:refines "A"} P3(i:int, b:bool, t:T) returns (r:int);
procedure {:yields} {:layer 1} {:refines "A"} P4(i:int) returns (r:int);
//! (5,46): Error: mismatched type of out-parameter in refinement procedure P1: r
//! (6,46): Error: mismatched type of in-parameter in refinement procedure P2: c (named b in atomic action)
//! (6,46): Error: mismatched linearity type of in-parameter in refinement procedure P2: t
//! (6,46): Error: mismatched number of out-parameters in refinement procedure: P2
//! (7,46): Error: mismatched linearity type of in-parameter in refinement procedure P3: t
//! (8,46): Error: mismatched number of in-parameters in refinement procedure: P4
