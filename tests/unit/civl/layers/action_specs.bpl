procedure {:atomic} {:layer 1, 2} A(i:int) requires i > 0; { }
procedure {:atomic} {:layer 1, 2} B(i:int) ensures i > 0; { }
//! (1,34): Error: Atomic action can not have preconditions or postconditions
//! (2,34): Error: Atomic action can not have preconditions or postconditions
