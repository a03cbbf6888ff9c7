procedure F(n: int) returns (r: int)
{
  var i: int;
  i, r := 0, 1;
  outer: while (i < n) invariant i >= 0; free invariant r > 0;
  { if (*) { break outer; } else if (i > 5) { goto done; } i := i + 1; while (true) { break; } }
  assert {:id "a"} r > 0;
  done: assume |{ var k: int; A: k := 1; goto B, C; B: return k == 1; C: return false; }|;
}
