procedure {:yields} {:layer 2} S() returns (o:int) { yield; }
procedure {:yields} {:layer 2} T() returns (o:int, q:int) { var l:int; yield; call o := S(); yield; call l := S(); yield; }
procedure {:yields} {:layer 1} U() { var l:int; yield; call l := S(); yield; }
procedure {:yields} {:layer 2} {:left} M() { var l:int; call l := S(); }
//! (2,78): Error: An output variable of the enclosing implementation cannot be used as output argument for this call
//! (3,55): Error: The layer of the caller must be greater than or equal to the layer of the callee
//! (4,56): Error: The layer of the caller must be greater than the layer of the callee
