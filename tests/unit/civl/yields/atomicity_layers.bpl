procedure {:atomic} {:layer 2, 5} A() { }
procedure {:yields} {:layer 1} {:refines "A"} PA() { yield; }
procedure {:yields} {:layer 3} {:refines "A2"} P() { yield; call PA(); call PA(); yield; }
procedure {:atomic} {:layer 4, 5} A2() { }
procedure {:yields} {:layer 2} S() { yield; }
//! (3,47): Error: Implementation P fails atomicity check at layer 2. Transactions must be separated by yields.
//! (3,47): Error: Implementation P fails atomicity check at layer 3. Transactions must be separated by yields.
