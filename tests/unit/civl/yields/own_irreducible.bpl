procedure {:yields} {:layer 1} P() { yield; goto a, b; a: goto b; b: yield; goto a, c; c: return; }
//! (1,31): Error: Irreducible flow graphs are unsupported.
