var {:module "a"} {:layer 0, 3} x: int;
var {:module "b"} {:layer 0, 3} y: int;
procedure {:layer 2, 3} I();
procedure {:yields} {:layer 1} {:module "b"} S() { yield; }
procedure {:yields} {:layer 2} {:module "b"} P()
{
  yield;
  call I();
  assert {:layer 1} x > 0;
  assert {:layer 2} x > 0;
  yield;
}
//! (9,20): Error: This yield predicate speaks of x, which belongs to module a at layer 1; P is part of module b
