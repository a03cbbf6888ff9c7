var {:layer 99999999999} x:int;
var {:layer 2147483647} y:int;
var {:layer 2147483646} z:int;
//! (1,4): Error: Layer 99999999999 is too large.
//! (2,4): Error: Layer 2147483647 is too large.
