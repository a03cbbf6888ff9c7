var {:layer 1, 2, 3} x:int;
//! (1,21): Error: Invalid layer range
