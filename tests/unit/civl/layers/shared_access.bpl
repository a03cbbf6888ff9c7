var {:layer 0, 9} x:int;
var {:layer 0, 9} m:[int]int;
procedure {:yields} {:layer 2} P(i:int) returns (r:int)
{
  yield;
  x := x + i;
  m[x] := m[i];
  havoc x;
  assume x > 0;
  r := (lambda j:int :: x + j)[1];
  call r := Q(x);
  call x := Q(i);
  call I(x);
  call r := J(x);
  yield;
}
procedure {:yields} {:layer 2} Q(i:int) returns (r:int) { yield; }
procedure {:layer 2} I(i:int) { }
procedure {:layer 2} J(i:int) returns (o:int) { o := 1; }
//! (6,2): Error: Shared variable can be accessed only in introduction procedures, atomic actions, and specifications
//! (6,7): Error: Shared variable can be accessed only in introduction procedures, atomic actions, and specifications
//! (7,2): Error: Shared variable can be accessed only in introduction procedures, atomic actions, and specifications
//! (7,4): Error: Shared variable can be accessed only in introduction procedures, atomic actions, and specifications
//! (7,10): Error: Shared variable can be accessed only in introduction procedures, atomic actions, and specifications
//! (8,8): Error: Shared variable can be accessed only in introduction procedures, atomic actions, and specifications
//! (9,9): Error: Shared variable can be accessed only in introduction procedures, atomic actions, and specifications
//! (10,24): Error: Shared variable can be accessed only in introduction procedures, atomic actions, and specifications
//! (11,2): Error: An output variable of the enclosing implementation cannot be used as output argument for this call
//! (11,14): Error: Shared variable can be accessed only in introduction procedures, atomic actions, and specifications
//! (12,7): Error: Shared variable can be accessed only in introduction procedures, atomic actions, and specifications
//! (13,9): Error: Shared variable can be accessed only in introduction procedures, atomic actions, and specifications
//! (14,7): Error: Output variable r must be introduced at layer 2
