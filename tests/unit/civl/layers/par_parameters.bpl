procedure {:yields} {:layer 2} P({:layer 1} i:int, j:int) returns ({:layer 2} o:int, q:int) { yield; }
procedure {:yields} {:layer 2} S() returns (o:int) { yield; }
procedure {:yields} {:layer 2} T() returns (z:int) { var {:layer 2} a:int; var {:layer 1} b:int; yield;
  par b, a := P(b, 1) | z := S();
  yield;
  par a, b := P(a, b) | z := S();
  yield; }
//! (4,6): Error: Formal return parameter of call must be introduced no later than the actual parameter
//! (4,2): Error: An output variable of the enclosing implementation cannot be used as output argument for this call
//! (6,16): Error: Variable a introduced on layer 2 can not be passed to formal parameter introduced on layer 1
//! (6,19): Error: Variable b introduced on layer 1 can not be passed to formal parameter introduced on layer -2147483648
//! (6,2): Error: An output variable of the enclosing implementation cannot be used as output argument for this call
