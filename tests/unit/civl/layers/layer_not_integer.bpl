var {:layer true} x:int;
var {:layer "one", 2} y:int;
//! (1,4): Error: Layer has to be an integer.
//! (2,4): Error: Layer has to be an integer.
