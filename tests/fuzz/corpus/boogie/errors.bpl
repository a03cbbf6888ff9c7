var x int; procedure P( { y := ; } axiom a ==> b <== c; function f(x, y: int; #if A
