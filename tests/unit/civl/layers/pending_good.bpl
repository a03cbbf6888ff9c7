procedure {:left} {:layer 2, 4} A() { async call Q(1); }
procedure {:left} {:layer 3, 4} B(i:int) { }
procedure {:yields} {:layer 2} {:refines "B"} Q(i:int) { yield; }
procedure {:yields} {:layer 1} {:refines "A"} P() { yield; async call Q(1); yield; }
