// treiber_stack.bpl: a lock-free stack (R. K. Treiber's), down to compare-and-swap on its top.
//
//   layer 0   the top read and swapped, fields of a node read and written
//   layer 1   Push and Pop: loops around the swap. Each is one atomic step on top and the nodes' fields
//   layer 2   the same over a list: the nodes are hidden, what is left is items := Cons(v, items)
//   layer 3   a client
//
// Nodes are permissions. Who made a node may write its fields; with the swap that makes it the top the permission
// goes to the stack for good, and from then on its fields never change. That is what makes the swap of Pop right:
// the node is still the top, so the link that was read from it is still its link. A stack that lets a popped node be
// used again loses this, which is known as the ABA problem: here it cannot even be said, for the permission to write
// the node is not there to be given back.

type Node;
const null: Node;

var {:layer 0,2} top: Node;
var {:layer 0,1} next: [Node]Node;                     // the fields of nodes in memory
var {:layer 0,1} data: [Node]int;
var {:layer 0,2} {:linear "node"} shared: [Node]bool;  // nodes that were pushed at some time
var {:layer 0,3} {:linear "node"} fresh: [Node]bool;   // memory: nodes that nobody has
var {:layer 1,2} link: [Node]Node;                     // the fields of the nodes that were pushed
var {:layer 1,2} value: [Node]int;
var {:layer 2,2} below: [Node]List;                    // the list that begins at a pushed node
var {:layer 2,3} items: List;                          // the stack as a client thinks of it

type List;
const Nil: List;
function Cons(v: int, rest: List): List;
function Head(l: List): int;
function Tail(l: List): List;
axiom (forall v: int, l: List :: {Cons(v, l)} Cons(v, l) != Nil && Head(Cons(v, l)) == v && Tail(Cons(v, l)) == l);
axiom (forall l: List :: {Tail(l)} l != Nil ==> l == Cons(Head(l), Tail(l)));

// ---- layer 3: a client that pushes even numbers and finds even numbers only ----

function Even(l: List): bool;
axiom Even(Nil);
axiom (forall v: int, l: List :: {Even(Cons(v, l))} Even(Cons(v, l)) <==> v mod 2 == 0 && Even(l));

procedure {:yields} {:layer 3} Client(v: int)
requires {:layer 1} Noted(next, data, shared, link, value);
requires {:layer 1,2} Shape(top, link, shared);
requires {:layer 2} Same(top, link, value, shared, items, below);
requires {:layer 3} Even(items);
{
  var {:linear "node"} n: Node;
  var ok: bool;
  var w: int;
  yield;
  assert {:layer 1} Noted(next, data, shared, link, value);
  assert {:layer 1,2} Shape(top, link, shared);
  assert {:layer 2} Same(top, link, value, shared, items, below);
  assert {:layer 3} Even(items);
  call n := New();
  call PushItem(n, v + v);
  yield;
  assert {:layer 1} Noted(next, data, shared, link, value);
  assert {:layer 1,2} Shape(top, link, shared);
  assert {:layer 2} Same(top, link, value, shared, items, below);
  assert {:layer 3} Even(items);
  call ok, w := PopItem();
  assert {:layer 3} ok ==> w mod 2 == 0;
  yield;
}

// ---- layer 2: a list instead of nodes ----

// What layer 1 leaves: the top, and each link of a pushed node, is null or a pushed node.
function {:inline} Shape(top: Node, link: [Node]Node, shared: [Node]bool): bool
{
  !shared[null] && (top == null || shared[top]) &&
  (forall n: Node :: {shared[n]} shared[n] ==> link[n] == null || shared[link[n]])
}

// No reachability is needed: each pushed node remembers the list that begins at it.
function {:inline} Same(top: Node, link: [Node]Node, value: [Node]int, shared: [Node]bool, items: List,
                        below: [Node]List): bool
{
  items == below[top] && below[null] == Nil &&
  (forall n: Node :: {shared[n]} shared[n] ==> below[n] == Cons(value[n], below[link[n]]))
}

procedure {:atomic} {:layer 3} AtomicPushItem({:linear_in "node"} n: Node, v: int)
modifies items;
{ items := Cons(v, items); }

procedure {:yields} {:layer 2} {:refines "AtomicPushItem"} PushItem({:linear_in "node"} n: Node, v: int)
requires {:layer 1} Noted(next, data, shared, link, value);
requires {:layer 1,2} Shape(top, link, shared) && n != null;
requires {:layer 2} Same(top, link, value, shared, items, below);
ensures {:layer 1} Noted(next, data, shared, link, value);
ensures {:layer 1,2} Shape(top, link, shared);
ensures {:layer 2} Same(top, link, value, shared, items, below);
{
  var {:linear "node"} mine: Node;
  mine := n;
  yield;
  assert {:layer 1} Noted(next, data, shared, link, value);
  assert {:layer 1,2} Shape(top, link, shared) && mine == n;
  assert {:layer 2} Same(top, link, value, shared, items, below);
  call Push(mine, v);
  call NotePush(n, v);
  yield;
  assert {:layer 1} Noted(next, data, shared, link, value);
  assert {:layer 1,2} Shape(top, link, shared);
  assert {:layer 2} Same(top, link, value, shared, items, below);
}

procedure {:atomic} {:layer 3} AtomicPopItem() returns (ok: bool, v: int)
modifies items;
{ ok := items != Nil; if (ok) { v := Head(items); items := Tail(items); } }

procedure {:yields} {:layer 2} {:refines "AtomicPopItem"} PopItem() returns (ok: bool, v: int)
requires {:layer 1} Noted(next, data, shared, link, value);
requires {:layer 1,2} Shape(top, link, shared);
requires {:layer 2} Same(top, link, value, shared, items, below);
ensures {:layer 1} Noted(next, data, shared, link, value);
ensures {:layer 1,2} Shape(top, link, shared);
ensures {:layer 2} Same(top, link, value, shared, items, below);
{
  yield;
  assert {:layer 1} Noted(next, data, shared, link, value);
  assert {:layer 1,2} Shape(top, link, shared);
  assert {:layer 2} Same(top, link, value, shared, items, below);
  call ok, v := Pop();
  call NotePop();
  yield;
  assert {:layer 1} Noted(next, data, shared, link, value);
  assert {:layer 1,2} Shape(top, link, shared);
  assert {:layer 2} Same(top, link, value, shared, items, below);
}

procedure {:layer 2} {:inline 1} NotePush(n: Node, v: int)
modifies items, below;
{ items := Cons(v, items); below[n] := items; }

procedure {:layer 2} {:inline 1} NotePop()
modifies items;
{ items := below[top]; }

// ---- layer 1: loops around the swap ----

// A node that only its maker knows has fields in memory that mean nothing to others. When it is pushed they are
// noted in link and value; this says that they stay the same from then on.
function {:inline} Noted(next: [Node]Node, data: [Node]int, shared: [Node]bool, link: [Node]Node,
                         value: [Node]int): bool
{ (forall n: Node :: {shared[n]} shared[n] ==> next[n] == link[n] && data[n] == value[n]) }

procedure {:atomic} {:layer 2} AtomicPush({:linear_in "node"} n: Node, v: int)
modifies top, link, value, shared;
{ assert n != null; value[n] := v; link[n] := top; top := n; shared[n] := true; }

procedure {:yields} {:layer 1} {:refines "AtomicPush"} Push({:linear_in "node"} n: Node, v: int)
requires {:layer 1} Shape(top, link, shared) && Noted(next, data, shared, link, value) && n != null;
ensures {:layer 1} Shape(top, link, shared) && Noted(next, data, shared, link, value);
{
  var {:linear "node"} mine: Node;
  var t: Node;
  var ok: bool;
  mine := n;
  yield;
  assert {:layer 1} Shape(top, link, shared) && Noted(next, data, shared, link, value) && mine == n;
  while (true)
  invariant {:layer 1} Shape(top, link, shared) && Noted(next, data, shared, link, value) && mine == n;
  {
    call t := ReadTop();
    yield;
    assert {:layer 1} Shape(top, link, shared) && Noted(next, data, shared, link, value) && mine == n;
    call WriteNode(mine, t, v);
    yield;
    assert {:layer 1} Shape(top, link, shared) && Noted(next, data, shared, link, value) && mine == n;
    assert {:layer 1} next[mine] == t && data[mine] == v;   // still as I wrote it: the node is mine
    call ok, mine := SwapIn(t, mine);
    if (ok) { call NoteFields(n); break; }
    yield;
    assert {:layer 1} Shape(top, link, shared) && Noted(next, data, shared, link, value) && mine == n;
  }
  yield;
  assert {:layer 1} Shape(top, link, shared) && Noted(next, data, shared, link, value);
}

procedure {:atomic} {:layer 2} AtomicPop() returns (ok: bool, v: int)
modifies top;
{ ok := top != null; if (ok) { v := value[top]; top := link[top]; } }

procedure {:yields} {:layer 1} {:refines "AtomicPop"} Pop() returns (ok: bool, v: int)
requires {:layer 1} Shape(top, link, shared) && Noted(next, data, shared, link, value);
ensures {:layer 1} Shape(top, link, shared) && Noted(next, data, shared, link, value);
{
  var t, n: Node;
  yield;
  assert {:layer 1} Shape(top, link, shared) && Noted(next, data, shared, link, value);
  while (true)
  invariant {:layer 1} Shape(top, link, shared) && Noted(next, data, shared, link, value);
  {
    call t := ReadTop();
    if (t == null) { ok := false; break; }
    yield;
    assert {:layer 1} Shape(top, link, shared) && Noted(next, data, shared, link, value) && shared[t];
    call n, v := ReadNode(t);
    yield;
    assert {:layer 1} Shape(top, link, shared) && Noted(next, data, shared, link, value) && shared[t];
    assert {:layer 1} n == link[t] && v == value[t];        // still as I read it: no pushed node changes
    call ok := SwapOut(t, n);
    if (ok) { break; }
    yield;
    assert {:layer 1} Shape(top, link, shared) && Noted(next, data, shared, link, value);
  }
  yield;
  assert {:layer 1} Shape(top, link, shared) && Noted(next, data, shared, link, value);
}

procedure {:layer 1} {:inline 1} NoteFields(n: Node)
modifies link, value;
{ link[n] := next[n]; value[n] := data[n]; }

// ---- layer 0: the machine ----

procedure {:right} {:layer 1,3} AtomicNew() returns ({:linear "node"} n: Node)
modifies fresh;
{ assume n != null && fresh[n]; fresh[n] := false; }
procedure {:yields} {:layer 0} {:refines "AtomicNew"} New() returns ({:linear "node"} n: Node);

procedure {:atomic} {:layer 1} AtomicReadTop() returns (t: Node)
{ t := top; }
procedure {:yields} {:layer 0} {:refines "AtomicReadTop"} ReadTop() returns (t: Node);

procedure {:atomic} {:layer 1} AtomicReadNode(t: Node) returns (n: Node, v: int)
{ n := next[t]; v := data[t]; }
procedure {:yields} {:layer 0} {:refines "AtomicReadNode"} ReadNode(t: Node) returns (n: Node, v: int);

procedure {:atomic} {:layer 1} AtomicWriteNode({:linear "node"} n: Node, to: Node, v: int)
modifies next, data;
{ next[n] := to; data[n] := v; }
procedure {:yields} {:layer 0} {:refines "AtomicWriteNode"} WriteNode({:linear "node"} n: Node, to: Node, v: int);

// The two swaps are one instruction of the machine; they differ in what becomes of the permission. If the first one
// fails, the node comes back to the caller.
procedure {:atomic} {:layer 1}
  AtomicSwapIn(from: Node, {:linear_in "node"} n: Node) returns (ok: bool, {:linear "node"} back: Node)
modifies top, shared;
{
  assert n != null;
  ok := top == from;
  if (ok) { top := n; shared[n] := true; back := null; } else { back := n; }
}
procedure {:yields} {:layer 0} {:refines "AtomicSwapIn"}
  SwapIn(from: Node, {:linear_in "node"} n: Node) returns (ok: bool, {:linear "node"} back: Node);

procedure {:atomic} {:layer 1} AtomicSwapOut(from: Node, to: Node) returns (ok: bool)
modifies top;
{ ok := top == from; if (ok) { top := to; } }
procedure {:yields} {:layer 0} {:refines "AtomicSwapOut"} SwapOut(from: Node, to: Node) returns (ok: bool);

// ---- which permissions a value stands for: null for none ----

function {:builtin "MapConst"} AllNodes(bool): [Node]bool;
function {:inline} {:linear "node"} NodeCollector(n: Node): [Node]bool
{ AllNodes(false)[n := n != null] }
function {:inline} {:linear "node"} NodeSetCollector(s: [Node]bool): [Node]bool
{ s }
