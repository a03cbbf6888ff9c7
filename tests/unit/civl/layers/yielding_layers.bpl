procedure {:yields} P();
procedure {:yields} {:layer 1, 2} Q();
//! (1,20): Error: Expected single layer number for yielding procedure
//! (2,34): Error: Expected single layer number for yielding procedure
