procedure {:left} {:layer 2, 3} A0() { }
procedure {:yields} {:layer 1} {:refines "A0"} P0();
procedure {:left} {:layer 2, 3} A1() { async call P0(); async call P0(); }
procedure {:yields} {:layer 1} {:refines "A1"} P1();
procedure {:left} {:layer 2, 3} A2() { async call P1(); async call P1(); }
procedure {:yields} {:layer 1} {:refines "A2"} P2();
procedure {:left} {:layer 2, 3} A3() { async call P2(); async call P2(); }
procedure {:yields} {:layer 1} {:refines "A3"} P3();
procedure {:left} {:layer 2, 3} A4() { async call P3(); async call P3(); }
procedure {:yields} {:layer 1} {:refines "A4"} P4();
procedure {:left} {:layer 2, 3} A5() { async call P4(); async call P4(); }
procedure {:yields} {:layer 1} {:refines "A5"} P5();
procedure {:left} {:layer 2, 3} A6() { async call P5(); async call P5(); }
procedure {:yields} {:layer 1} {:refines "A6"} P6();
procedure {:left} {:layer 2, 3} A7() { async call P6(); async call P6(); }
procedure {:yields} {:layer 1} {:refines "A7"} P7();
procedure {:left} {:layer 2, 3} A8() { async call P7(); async call P7(); }
procedure {:yields} {:layer 1} {:refines "A8"} P8();
procedure {:left} {:layer 2, 3} A9() { async call P8(); async call P8(); }
procedure {:yields} {:layer 1} {:refines "A9"} P9();
procedure {:left} {:layer 2, 3} A10() { async call P9(); async call P9(); }
procedure {:yields} {:layer 1} {:refines "A10"} P10();
procedure {:left} {:layer 2, 3} A11() { async call P10(); async call P10(); }
procedure {:yields} {:layer 1} {:refines "A11"} P11();
procedure {:left} {:layer 2, 3} A12() { async call P11(); async call P11(); }
procedure {:yields} {:layer 1} {:refines "A12"} P12();
procedure {:left} {:layer 2, 3} A13() { async call P12(); async call P12(); }
procedure {:yields} {:layer 1} {:refines "A13"} P13();
procedure {:left} {:layer 2, 3} A14() { async call P13(); async call P13(); }
procedure {:yields} {:layer 1} {:refines "A14"} P14();
procedure {:left} {:layer 2, 3} A15() { async call P14(); async call P14(); }
procedure {:yields} {:layer 1} {:refines "A15"} P15();
//! (27,32): Error: Action A13 starts too many others at layer 2
//! (27,32): Error: Action A13 starts too many others at layer 3
