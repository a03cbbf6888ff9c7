var {:layer 0, 3} g:int;
var {:layer 0, 1} h:bool;
procedure {:atomic} {:layer 1, 3} A(i:int) { }
procedure {:atomic} {:layer 2, 3} B(i:int) { }
procedure {:layer 2} I();
function {:witness 1} f0(): int;
function {:witness "nix A B 2"} f1(): int;
function {:witness "g A C 2"} f2(): int;
function {:witness "g A I 2"} f3(): int;
function {:witness "g A B"} f4(): int;
function {:witness "g A B two"} f5(): int;
function {:witness "g A B 1 2"} f6(): int;
function {:witness "g A B 2"} f7(first_i:int, second_j:int, g:int, g':bool, k:int): int;
function {:witness "h A B 2"} f8(first_i:bool, h:int): bool;
function {:witness "g A B 2"} f9(first_i:int, second_i:int, g:int, g':int): int;
function {:witness ""} f10(): int;
//! (6,22): Error: Witness attribute has to be a string.
//! (7,32): Error: No global variable found with name of nix
//! (8,30): Error: No procedure found with name of C
//! (9,30): Warning: Procedure I does not have a mover type, witness function is ignored.
//! (10,28): Error: Expected layer number
//! (11,32): Error: Expected integer layer number but received two
//! (12,32): Error: B does not exist at layer 1
//! (13,30): Error: No parameter j:int found in B
//! (13,30): Error: Type mismatch for variable g. Expected int found bool
//! (13,30): Error: No matching global variable named k
//! (14,30): Error: h does not exist at layer 2
//! (14,30): Error: No parameter i:bool found in A
//! (14,30): Error: Type mismatch for variable h. Expected bool found int
//! (14,30): Error: h does not exist at layer 2
//! (16,23): Error: Expected global variable name
//! (16,23): Error: No global variable found with name of 
//! (16,23): Error: Expected procedure name.
//! (16,23): Error: No procedure found with name of 
//! (16,23): Error: Expected procedure name.
//! (16,23): Error: No procedure found with name of 
//! (16,23): Error: Expected layer number
