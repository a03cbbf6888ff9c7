var {:module "a"} {:owner "b"} {:layer 0, 3} x: int;
var {:module "a"} {:owner "b", 2} {:layer 0, 3} y: int;
var {:module "a"} {:owner a, 2} {:layer 0, 3} z: int;
const a: int;
//! (1,18): Error: {:owner} wants the name of a module and a layer, as in {:owner "client", 2}
//! (2,18): Error: There is no module b; there are a
//! (3,18): Error: {:owner} wants the name of a module and a layer, as in {:owner "client", 2}
