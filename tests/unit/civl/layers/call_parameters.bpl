procedure {:yields} {:layer 2} P({:layer 1} i:int, j:int) returns ({:layer 2} o:int, q:int) { yield; }
procedure {:yields} {:layer 2} T() { var {:layer 2} a:int; var {:layer 1} b:int; yield; call b, a := P(a + b, b + 1); yield; }
//! (2,103): Error: Variable a introduced on layer 2 can not be passed to formal parameter introduced on layer 1
//! (2,110): Error: Variable b introduced on layer 1 can not be passed to formal parameter introduced on layer -2147483648
//! (2,93): Error: Formal return parameter of call must be introduced no later than the actual parameter
