type T a b; type S x = [x]T x (T int x); type {:datatype} D;
function {:constructor} leaf(): D; function {:constructor} node(left: D, value: int, right: D): D;
function id<a>(x: a): a; function {:inline} twice(x: int): int { 2 * x } function half(x: int): int { x div 2 }
const unique c, d: int extends complete; var m: <a>[T a int]a; var n: S bool; var v: bv8; const w: bv8;
axiom {:name "one"} (forall<a> x: a, y: [int, bool]int :: {:weight 2} {id(x), y[1, true]} {:nopats id(y)} id(x) == x && y[1, true] > 0);
axiom (exists z: bv16 :: z == w ++ 7bv8 && z[8:0] == w) ==> (lambda i: int :: i > 0)[3 := false][4] <==> (var q := 1.5e3; real(2) < q);
procedure P<a>(x: a) returns (y: a) ensures x == old(y); free ensures is#leaf(left#node(node(leaf(), 1, leaf())));
  modifies m, n, v;
{ var t: T a int where true; y, m[t] := x, x; havoc n, v; call y := P((x : a)); return; }
