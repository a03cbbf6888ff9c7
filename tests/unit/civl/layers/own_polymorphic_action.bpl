procedure {:atomic} {:layer 1, 2} A<T>(t:T) { }
//! (1,34): Error: Atomic action can not have type parameters
