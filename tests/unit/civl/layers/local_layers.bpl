procedure {:yields} {:layer 2} P({:layer 1, 2} i:int, {:layer 3} j:int) returns ({:layer 4} o:int)
{
  var {:layer 3} l:int;
  var {:layer 1, 1} k:int;
  yield;
}
//! (1,31): Error: Incorrect number of layers
//! (1,31): Error: Layer of local variable cannot be greater than the creation layer of enclosing procedure
//! (1,31): Error: Layer of local variable cannot be greater than the creation layer of enclosing procedure
//! (1,31): Error: Layer of local variable cannot be greater than the creation layer of enclosing procedure
//! (1,31): Error: Incorrect number of layers
