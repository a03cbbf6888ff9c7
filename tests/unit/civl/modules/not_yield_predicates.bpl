var {:module "a"} {:layer 0, 3} x: int;
var {:module "b"} {:layer 0, 3} y: int;
procedure {:yields} {:layer 1} {:module "a"} P(i: int)
  requires {:layer 1} y > 0 && x > 0;
{
  var l: int;
  assert {:layer 1} y > 0;
  yield;
  assert {:layer 1} x > 0;
  l := i;
  assert {:layer 1} l == i + y - y;
  yield;
}
