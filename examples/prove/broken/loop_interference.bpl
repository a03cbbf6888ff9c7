// loop_interference.bpl: what one thread relies on is broken in another one's loop.
//
// Door expects to find nobody in the room. Guests come in, one with each turn of the loop: each turn is a step, from the
// loop's head to the yield, that others can see.
// Rejected: what Door says after its yield can be broken by Guests (non-interference, layer 1). Boogie 2.4.1 accepts the
// program, for the reason that is told in loop_step.bpl; if the loop is made an if, it rejects it.

var {:layer 0,1} people: int;

procedure {:yields} {:layer 1} Door()
requires {:layer 1} people == 0;
{
  yield;
  assert {:layer 1} people == 0;
  yield;
}

procedure {:yields} {:layer 1} Guests()
{
  yield;
  while (*)
  {
    call Enter();
    yield;
  }
  yield;
}

procedure {:atomic} {:layer 1} AtomicEnter()
modifies people;
{ people := people + 1; }
procedure {:yields} {:layer 0} {:refines "AtomicEnter"} Enter();
