type {:linear "tid"} Tid;
type Set = [Tid]bool;
const nil: Tid;
var {:layer 0, 2} holder: Tid where holder != nil;
function {:builtin "MapConst"} constant(bool): Set;
function {:inline} {:linear "tid"} collect(t: Tid): Set { constant(false)[t := true] }
procedure {:atomic} {:layer 1, 2} atomic_take({:linear "tid"} t: Tid)
modifies holder;
{ assert t != nil; assume holder == nil; holder := t; }
procedure {:yields} {:layer 0} {:refines "atomic_take"} take({:linear "tid"} t: Tid);
procedure {:yields} {:layer 1} main({:linear_in "tid"} t: Tid) requires {:layer 1} t != nil;
{ yield; assert {:layer 1} t != nil; call take(t); while (*) invariant {:layer 1} true; { yield; } async call main(t); par take(t) | take(t); }
