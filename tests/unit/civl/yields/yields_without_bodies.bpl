procedure {:yields} {:layer 1} {:left} M();
procedure {:yields} {:layer 1} P();
