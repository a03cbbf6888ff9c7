// ticket_lock.bpl: the ticket lock, with tickets as permissions.
//
// Who wants to enter draws a ticket and waits until its number is shown. The number on the ticket is all that
// keeps two threads apart, so in the proof a ticket is a linear value: a number that nobody else can have.
//
//   layer 0   fetch-and-add on the dispenser; the display read and written; the shared data
//   layer 1   Draw and Wait become right movers, Leave a left mover: the dispenser's counter and the display vanish
//   layer 2   Visit: draw, wait, read, write, leave. One atomic step for its callers
//   layer 3   customers

var {:layer 0,1} next: int;                            // the number on the next ticket
var {:layer 0,1} shown: int;                           // the number that may enter
var {:layer 0,2} {:linear "ticket"} roll: [int]bool;   // tickets that nobody has drawn
var {:layer 1,2} inside: int;                          // the ticket of who is inside, or none: only the proof knows
var {:layer 0,3} total: int;                           // what the lock protects

function {:inline} none(): int { 0 - 1 }

// ---- layer 3: customers ----

procedure {:yields} {:layer 3} Customer()
requires {:layer 1} Inv(next, shown, roll, inside);
requires {:layer 3} 0 <= total;
{
  yield;
  assert {:layer 1} Inv(next, shown, roll, inside);
  assert {:layer 3} 0 <= total;
  while (*)
  invariant {:layer 1} Inv(next, shown, roll, inside);
  invariant {:layer 3} 0 <= total;
  {
    call Visit(7);
    yield;
    assert {:layer 1} Inv(next, shown, roll, inside);
    assert {:layer 3} 0 <= total;
  }
  yield;
}

procedure {:yields} {:layer 3} Main()
requires {:layer 1} Inv(next, shown, roll, inside);
requires {:layer 3} 0 <= total;
{
  yield;
  assert {:layer 1} Inv(next, shown, roll, inside);
  assert {:layer 3} 0 <= total;
  while (*)
  invariant {:layer 1} Inv(next, shown, roll, inside);
  invariant {:layer 3} 0 <= total;
  {
    async call Customer();
    yield;
    assert {:layer 1} Inv(next, shown, roll, inside);
    assert {:layer 3} 0 <= total;
  }
  yield;
}

// ---- layer 2: a visit ----

procedure {:atomic} {:layer 3} AtomicVisit(amount: int)
modifies total;
{ total := total + amount; }

procedure {:yields} {:layer 2} {:refines "AtomicVisit"} Visit(amount: int)
requires {:layer 1} Inv(next, shown, roll, inside);
ensures {:layer 1} Inv(next, shown, roll, inside);
{
  var {:linear "ticket"} t: int;
  var v: int;
  yield;
  assert {:layer 1} Inv(next, shown, roll, inside);
  call t := Draw();
  call Wait(t);
  call v := Load(t);
  call Store(t, v + amount);
  call Leave(t);
  yield;
  assert {:layer 1} Inv(next, shown, roll, inside);
}

// ---- layer 1: tickets ----

function From(n: int): [int]bool;   // the numbers from n on
axiom (forall n, i: int :: From(n)[i] <==> n <= i);

// Tickets from next on are still on the roll; the display shows a ticket that was drawn, or the next one; who is
// inside has the ticket that is shown.
function {:inline} Inv(next: int, shown: int, roll: [int]bool, inside: int): bool
{ 0 <= shown && shown <= next && roll == From(next) && (inside == none() || (inside == shown && shown < next)) }

// Some ticket from the roll: which one does not matter any more, so drawing can be moved to the right. That tickets
// are served in order is lost here; that there is one of each is kept.
procedure {:right} {:layer 2} AtomicDraw() returns ({:linear "ticket"} t: int)
modifies roll;
{ assume 0 <= t && roll[t]; roll[t] := false; }

procedure {:yields} {:layer 1} {:refines "AtomicDraw"} Draw() returns ({:linear "ticket"} t: int)
requires {:layer 1} Inv(next, shown, roll, inside);
ensures {:layer 1} Inv(next, shown, roll, inside) && 0 <= t && t < next && inside != t;
{
  yield;
  assert {:layer 1} Inv(next, shown, roll, inside);
  call t := FetchAdd();
  yield;
  assert {:layer 1} Inv(next, shown, roll, inside) && 0 <= t && t < next && inside != t;
}

procedure {:right} {:layer 2} AtomicWait({:linear "ticket"} t: int)
modifies inside;
{ assume 0 <= t && inside == none(); inside := t; }

// Between two looks at the display others run. What they cannot do is come inside with my ticket.
procedure {:yields} {:layer 1} {:refines "AtomicWait"} Wait({:linear "ticket"} t: int)
requires {:layer 1} Inv(next, shown, roll, inside) && 0 <= t && t < next && inside != t;
ensures {:layer 1} Inv(next, shown, roll, inside) && inside == t && 0 <= t;
{
  var s: int;
  yield;
  assert {:layer 1} Inv(next, shown, roll, inside) && 0 <= t && t < next && inside != t;
  while (true)
  invariant {:layer 1} Inv(next, shown, roll, inside) && 0 <= t && t < next && inside != t;
  {
    call s := ReadShown();
    if (s == t) { call SetInside(t); break; }
    yield;
    assert {:layer 1} Inv(next, shown, roll, inside) && 0 <= t && t < next && inside != t;
  }
  yield;
  assert {:layer 1} Inv(next, shown, roll, inside) && inside == t && 0 <= t;
}

procedure {:left} {:layer 2} AtomicLeave({:linear_in "ticket"} t: int)
modifies inside;
{ assert 0 <= t && inside == t; inside := none(); }

procedure {:yields} {:layer 1} {:refines "AtomicLeave"} Leave({:linear_in "ticket"} t: int)
requires {:layer 1} Inv(next, shown, roll, inside) && inside == t && 0 <= t;
ensures {:layer 1} Inv(next, shown, roll, inside);
{
  var {:linear "ticket"} mine: int;
  mine := t;
  yield;
  assert {:layer 1} Inv(next, shown, roll, inside) && inside == mine && mine == t && 0 <= t;
  call WriteShown(t + 1);
  call SetInside(none());
  yield;
  assert {:layer 1} Inv(next, shown, roll, inside);
}

// Who is inside reads and writes alone: both movers.
procedure {:both} {:layer 2} AtomicLoad({:linear "ticket"} t: int) returns (v: int)
{ assert 0 <= t && inside == t; v := total; }

procedure {:yields} {:layer 1} {:refines "AtomicLoad"} Load({:linear "ticket"} t: int) returns (v: int)
requires {:layer 1} Inv(next, shown, roll, inside) && inside == t && 0 <= t;
ensures {:layer 1} Inv(next, shown, roll, inside) && inside == t && 0 <= t;
{
  yield;
  assert {:layer 1} Inv(next, shown, roll, inside) && inside == t && 0 <= t;
  call v := ReadTotal();
  yield;
  assert {:layer 1} Inv(next, shown, roll, inside) && inside == t && 0 <= t;
}

procedure {:both} {:layer 2} AtomicStore({:linear "ticket"} t: int, v: int)
modifies total;
{ assert 0 <= t && inside == t; total := v; }

procedure {:yields} {:layer 1} {:refines "AtomicStore"} Store({:linear "ticket"} t: int, v: int)
requires {:layer 1} Inv(next, shown, roll, inside) && inside == t && 0 <= t;
ensures {:layer 1} Inv(next, shown, roll, inside) && inside == t && 0 <= t;
{
  yield;
  assert {:layer 1} Inv(next, shown, roll, inside) && inside == t && 0 <= t;
  call WriteTotal(v);
  yield;
  assert {:layer 1} Inv(next, shown, roll, inside) && inside == t && 0 <= t;
}

procedure {:layer 1} {:inline 1} SetInside(t: int)
modifies inside;
{ inside := t; }

// ---- layer 0: the machine ----

procedure {:atomic} {:layer 1} AtomicFetchAdd() returns ({:linear "ticket"} t: int)
modifies next, roll;
{ assert roll[next]; t := next; next := next + 1; roll[t] := false; }
procedure {:yields} {:layer 0} {:refines "AtomicFetchAdd"} FetchAdd() returns ({:linear "ticket"} t: int);

procedure {:atomic} {:layer 1} AtomicReadShown() returns (s: int)
{ s := shown; }
procedure {:yields} {:layer 0} {:refines "AtomicReadShown"} ReadShown() returns (s: int);

procedure {:atomic} {:layer 1} AtomicWriteShown(s: int)
modifies shown;
{ shown := s; }
procedure {:yields} {:layer 0} {:refines "AtomicWriteShown"} WriteShown(s: int);

procedure {:atomic} {:layer 1} AtomicReadTotal() returns (v: int)
{ v := total; }
procedure {:yields} {:layer 0} {:refines "AtomicReadTotal"} ReadTotal() returns (v: int);

procedure {:atomic} {:layer 1} AtomicWriteTotal(v: int)
modifies total;
{ total := v; }
procedure {:yields} {:layer 0} {:refines "AtomicWriteTotal"} WriteTotal(v: int);

// ---- which permissions a value stands for ----

function {:builtin "MapConst"} AllTickets(bool): [int]bool;
function {:inline} {:linear "ticket"} TicketCollector(t: int): [int]bool
{ AllTickets(false)[t := true] }
function {:inline} {:linear "ticket"} RollCollector(s: [int]bool): [int]bool
{ s }
