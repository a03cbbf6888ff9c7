// main.go: judges a history in words (docs/histories.md) with the checker Porcupine, through its public interface, so
// that tools/run-bench-history can measure both on the same file.
//
//	porcupine [-whole] OBJECT FILE
//
// OBJECT is register, uregister, kv, set, queue, stack, pqueue or counter. Maps and sets are checked key by key unless
// -whole is given. The exit status is 0 if the history is linearizable, 1 if not, 2 if it cannot be read.
//
// The models are as quick as we could make them: keys and values are numbers given in the order of their appearance,
// states are compared by a hash first.
package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"sync"

	"github.com/anishathalye/porcupine"
)

// none is the value of what is not there, and the result of an operation that never returned.
const (
	none    = int32(-1)
	unknown = int32(-2)
)

// An input is an operation: its name, and its arguments as numbers.
type input struct {
	op       byte
	key, arg int32
	other    int32
}

// What operations do, whatever they are called.
const (
	opRead = iota
	opWrite
	opCas
	opAppend
	opDelete
	opAdd
	opRemove
	opContains
	opInsert
	opTake
	opInc
)

var names = map[string]byte{
	"read": opRead, "write": opWrite, "cas": opCas, "get": opRead, "put": opWrite, "append": opAppend, "del": opDelete,
	"add": opAdd, "remove": opRemove, "contains": opContains, "enq": opInsert, "deq": opTake, "enqueue": opInsert,
	"dequeue": opTake, "push": opInsert, "pop": opTake, "insert": opInsert, "delmin": opTake, "inc": opInc,
}

// ---- texts as numbers ----

// A table gives each text a number. Partitions are checked at the same time, and append makes new texts.
type table struct {
	sync.Mutex
	numbers map[string]int32
	texts   []string
}

func (t *table) number(text []byte) int32 {
	if n, found := t.numbers[string(text)]; found {
		return n
	}
	n := int32(len(t.texts))
	t.numbers[string(text)] = n
	t.texts = append(t.texts, string(text))
	return n
}

func (t *table) appended(to, what int32) int32 {
	t.Lock()
	defer t.Unlock()
	text := ""
	if to != none {
		text = t.texts[to]
	}
	return t.number([]byte(text + t.texts[what]))
}

// ---- reading ----

type reader struct {
	ordered      bool // values are numbers as they stand: counters and priority queues
	keyed        bool
	keys, values table
	events       []porcupine.Event
	open         map[string]int // the operation of each client
	calls        int
	initial      int32
}

// words splits a line at blanks; a word may stand in quotes.
func words(line []byte, out [][]byte) [][]byte {
	out = out[:0]
	for i := 0; i < len(line); {
		if line[i] == ' ' {
			i++
			continue
		}
		start := i
		if line[i] == '"' {
			for i++; i < len(line) && line[i] != '"'; i++ {
				if line[i] == '\\' {
					i++
				}
			}
			i++
		} else {
			for i < len(line) && line[i] != ' ' {
				i++
			}
		}
		if i > len(line) {
			i = len(line)
		}
		out = append(out, line[start:i])
	}
	return out
}

func (r *reader) value(word []byte) int32 {
	if r.ordered {
		n, _ := strconv.Atoi(string(word))
		return int32(n)
	}
	if string(word) == "-1" || string(word) == "nil" || string(word) == `""` {
		return none
	}
	if len(word) >= 2 && word[0] == '"' {
		word = word[1 : len(word)-1]
	}
	return r.values.number(word)
}

func (r *reader) call(w [][]byte) bool {
	if len(w) < 3 {
		return false
	}
	op, found := names[string(w[2])]
	if !found {
		return false
	}
	in := input{op: op, key: none, arg: none}
	args := w[3:]
	if r.keyed && len(args) > 0 {
		in.key = r.keys.number(args[0])
		args = args[1:]
	}
	if len(args) > 0 {
		in.arg = r.value(args[0])
	}
	if len(args) > 1 {
		in.other = r.value(args[1])
	}
	r.open[string(w[1])] = r.calls
	r.events = append(r.events, porcupine.Event{Kind: porcupine.CallEvent, Value: in, Id: r.calls})
	r.calls++
	return true
}

// result is true or false where an operation says one of them, a value elsewhere.
func (r *reader) result(in input, w [][]byte) interface{} {
	switch in.op {
	case opRead, opTake:
		if len(w) < 3 {
			return none
		}
		return r.value(w[2])
	case opCas, opDelete, opAdd, opRemove, opContains:
		return len(w) > 2 && (w[2][0] == '1' || w[2][0] == 't')
	}
	return none
}

func (r *reader) read(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	inputs := make([]input, 0, len(data)/24)
	var buffer [][]byte
	for number := 1; len(data) > 0; number++ {
		line := data
		if end := bytes.IndexByte(data, '\n'); end >= 0 {
			line, data = data[:end], data[end+1:]
		} else {
			data = nil
		}
		if number == 1 && bytes.Contains(line, []byte("object=register")) && bytes.Contains(line, []byte("initial=")) {
			text := line[bytes.Index(line, []byte("initial="))+8:]
			r.initial = r.value(bytes.Fields(text)[0])
		}
		if len(line) == 0 || line[0] == '#' || line[0] == 'C' || line[0] == 'W' {
			continue
		}
		buffer = words(line, buffer)
		if line[0] == 'I' && r.call(buffer) {
			inputs = append(inputs, r.events[len(r.events)-1].Value.(input))
			continue
		}
		id, found := 0, false
		if line[0] == 'R' && len(buffer) >= 2 {
			id, found = r.open[string(buffer[1])]
		}
		if !found {
			return fmt.Errorf("%s:%d: this line cannot be understood", path, number)
		}
		delete(r.open, string(buffer[1]))
		result := r.result(inputs[id], buffer)
		r.events = append(r.events, porcupine.Event{Kind: porcupine.ReturnEvent, Value: result, Id: id})
	}
	// What never returned returns at the end, with anything.
	for _, id := range r.open {
		r.events = append(r.events, porcupine.Event{Kind: porcupine.ReturnEvent, Value: unknown, Id: id})
	}
	return nil
}

// ---- models ----

// cell is one step of a register, or of one key of a map. The result is compared unless it is unknown.
func (r *reader) cell(now int32, in input, out interface{}) (bool, int32) {
	any := out == unknown
	switch in.op {
	case opRead:
		return any || out == now, now
	case opWrite:
		return true, in.arg
	case opAppend:
		return true, r.values.appended(now, in.arg)
	case opDelete:
		return any || out == (now != none), none
	case opCas:
		if now == in.arg {
			return any || out == true, in.other
		}
		return any || out == false, now
	}
	return false, now
}

// bit is one step of one key of a set.
func bit(now bool, in input, out interface{}) (bool, bool) {
	any := out == unknown
	switch in.op {
	case opAdd:
		return any || out == !now, true
	case opRemove:
		return any || out == now, false
	}
	return any || out == now, now
}

func mix(hash uint64, value int32) uint64 {
	hash = (hash ^ uint64(uint32(value))) * 0x9e3779b97f4a7c15
	return hash ^ hash>>29
}

func hashCell(state interface{}) uint64 { return mix(1, state.(int32)) }

func hashAll(state interface{}) uint64 {
	hash := uint64(1)
	for _, value := range state.([]int32) {
		hash = mix(hash, value)
	}
	return hash
}

func equalAll(a, b interface{}) bool {
	x, y := a.([]int32), b.([]int32)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return true
}

// byKey splits a history by the keys of its operations.
func byKey(history []porcupine.Event) [][]porcupine.Event {
	var parts [][]porcupine.Event
	keys := make([]int32, len(history)) // by operation
	for _, e := range history {
		if e.Kind == porcupine.CallEvent {
			keys[e.Id] = e.Value.(input).key
		}
		for int(keys[e.Id]) >= len(parts) {
			parts = append(parts, nil)
		}
		parts[keys[e.Id]] = append(parts[keys[e.Id]], e)
	}
	return parts
}

func (r *reader) register(start int32) porcupine.Model {
	return porcupine.Model{
		Init: func() interface{} { return start },
		Step: func(state, in, out interface{}) (bool, interface{}) {
			fits, next := r.cell(state.(int32), in.(input), out)
			return fits, next
		},
		Hash: hashCell,
	}
}

// array is a model whose state is one number for each key.
func (r *reader) array(start int32, step func(now int32, in input, out interface{}) (bool, int32)) porcupine.Model {
	return porcupine.Model{
		Init: func() interface{} {
			all := make([]int32, len(r.keys.texts))
			for i := range all {
				all[i] = start
			}
			return all
		},
		Step: func(state, in, out interface{}) (bool, interface{}) {
			all, key := state.([]int32), in.(input).key
			fits, next := step(all[key], in.(input), out)
			if fits && next != all[key] {
				all = append([]int32(nil), all...)
				all[key] = next
			}
			return fits, all
		},
		Equal: equalAll,
		Hash:  hashAll,
	}
}

func (r *reader) set(whole bool) porcupine.Model {
	if whole {
		return r.array(0, func(now int32, in input, out interface{}) (bool, int32) {
			fits, next := bit(now == 1, in, out)
			if next {
				return fits, 1
			}
			return fits, 0
		})
	}
	return porcupine.Model{
		PartitionEvent: byKey,
		Init:           func() interface{} { return false },
		Step: func(state, in, out interface{}) (bool, interface{}) {
			fits, next := bit(state.(bool), in.(input), out)
			return fits, next
		},
	}
}

// sequence is a queue, or a priority queue if SORTED. Its state is the values in the order in which they leave.
func sequence(sorted bool) porcupine.Model {
	return porcupine.Model{
		Init: func() interface{} { return []int32(nil) },
		Step: func(state, in, out interface{}) (bool, interface{}) {
			all := state.([]int32)
			if in.(input).op == opTake {
				if len(all) == 0 {
					return out == none || out == unknown, all
				}
				return out == all[0] || out == unknown, all[1:]
			}
			at := len(all)
			for sorted && at > 0 && all[at-1] > in.(input).arg {
				at--
			}
			next := make([]int32, len(all)+1)
			copy(next, all[:at])
			next[at] = in.(input).arg
			copy(next[at+1:], all[at:])
			return true, next
		},
		Equal: equalAll,
		Hash:  hashAll,
	}
}

// A node is a stack: its top, and the rest.
type node struct {
	value int32
	hash  uint64
	rest  *node
}

func stack() porcupine.Model {
	return porcupine.Model{
		Init: func() interface{} { return (*node)(nil) },
		Step: func(state, in, out interface{}) (bool, interface{}) {
			top := state.(*node)
			if in.(input).op == opTake {
				if top == nil {
					return out == none || out == unknown, top
				}
				return out == top.value || out == unknown, top.rest
			}
			next := &node{value: in.(input).arg, rest: top, hash: 1}
			if top != nil {
				next.hash = top.hash
			}
			next.hash = mix(next.hash, next.value)
			return true, next
		},
		Equal: func(a, b interface{}) bool {
			x, y := a.(*node), b.(*node)
			for x != y {
				if x == nil || y == nil || x.hash != y.hash || x.value != y.value {
					return false
				}
				x, y = x.rest, y.rest
			}
			return true
		},
		Hash: func(state interface{}) uint64 {
			if top := state.(*node); top != nil {
				return top.hash
			}
			return 0
		},
	}
}

func counter() porcupine.Model {
	return porcupine.Model{
		Init: func() interface{} { return int32(0) },
		Step: func(state, in, out interface{}) (bool, interface{}) {
			if in.(input).op == opInc {
				return true, state.(int32) + 1
			}
			return out == state || out == unknown, state
		},
		Hash: hashCell,
	}
}

func (r *reader) model(object string, whole bool) (porcupine.Model, bool) {
	switch object {
	case "register", "uregister":
		return r.register(r.initial), true
	case "kv":
		if whole {
			return r.array(none, r.cell), true
		}
		m := r.register(none)
		m.PartitionEvent = byKey
		return m, true
	case "set":
		return r.set(whole), true
	case "queue", "pqueue":
		return sequence(object == "pqueue"), true
	case "stack":
		return stack(), true
	case "counter":
		return counter(), true
	}
	return porcupine.Model{}, false
}

func main() {
	args := os.Args[1:]
	whole := len(args) > 0 && args[0] == "-whole"
	if whole {
		args = args[1:]
	}
	if len(args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: porcupine [-whole] OBJECT FILE")
		os.Exit(2)
	}
	r := reader{open: map[string]int{}, initial: none}
	r.keys.numbers, r.values.numbers = map[string]int32{}, map[string]int32{}
	r.ordered = args[0] == "counter" || args[0] == "pqueue"
	r.keyed = args[0] == "kv" || args[0] == "set"
	err := r.read(args[1])
	model, known := r.model(args[0], whole)
	if err == nil && !known {
		err = fmt.Errorf("there is no model of a %s", args[0])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if !porcupine.CheckEvents(model, r.events) {
		os.Exit(1)
	}
}
