#if FILE_0
axiom ((((((((((true))))))))));
#else
nonsense
#endif
#line 30 other.bpl
var \var, x': int; // "comment" /* no */
axiom {:s "a \" b"} 0x1.8e3f24e8 == 0NaN24e8 || RNE == RTZ /* a /* nested */ one */;
