var {:layer -1, 2} x:int;
//! (1,4): Error: Layer has to be an integer.
