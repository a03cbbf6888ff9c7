/* test_history.c: the forms of histories, what they mean, and what is wrong with them. HEDDLE_HISTORIES may name a
 * folder with histories, which must all be readable. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "histories/steps.h"
#include "history/history.h"
#include "specs/specs.h"

static void
expect_steps(const char *spec, const char *text, const char *steps)
{
  char *error;
  history_dump d = {0};
  hd_history *h = history_from_text(text, HD_HISTORY_AUTO, &error);
  if (!h)
    fail_msg("%s", error);
  const char *said = hd_history_spec_name(h);
  assert_true(said || spec);
  if (!hd_history_read(h, hd_specs_find(spec ? spec : said), history_dump_step, &d, &error))
    fail_msg("%s", error);
  assert_string_equal(d.text.length ? d.text.text : "", steps);
  hd_string_free(&d.text);
  hd_history_free(h);
}

/* ---- forms ---- */

static void
jsonl(void **state)
{
  (void) state;
  expect_steps(
      "queue",
      "{\"process\":3,\"type\":\"invoke\",\"f\":\"enqueue\",\"value\":7,\"time\":12}\n"
      "{\"process\":-1,\"type\":\"invoke\",\"f\":\"deq\"}\n"
      "\n"
      " { \"f\" : \"enqueue\" , \"type\":\"ok\",\"process\":3,\"more\":{\"a\":[1,{\"b\":null}]}}\r\n"
      "{\"process\":-1,\"type\":\"ok\",\"f\":\"deq\",\"value\":\"a\\n\\u00e9\\ud83d\\ude00\\ud83d\\t\\ude00x\"}\n"
      "{\"process\":\"nemesis\",\"type\":\"info\",\"f\":\"kill\",\"value\":null}",
      "call 3 enqueue 7\ncall -1 deq\nreturn 3 enqueue\nreturn -1 deq -> \"a\\né😀\uFFFD\\t\uFFFDx\"\n");
  /* An array of events, types that are numbers, keys that tell objects apart. */
  expect_steps("register",
               "[{\"process\":0,\"type\":\"invoke\",\"f\":\"cas\",\"key\":\"k\",\"value\":[1,-2]},\n"
               "{\"process\":1,\"type\":\"invoke\",\"f\":\"cas\",\"key\":5,\"value\":[18446744073709551615,1.5]},\n"
               "{\"process\":0,\"type\":\"ok\",\"f\":\"cas\",\"key\":\"k\",\"value\":[1,-2]},"
               "{\"process\":1,\"type\":\"ok\",\"f\":\"cas\",\"value\":false}]",
               "call 0 cas of \"k\" 1 -2\ncall 1 cas of 5 18446744073709551615 \"1.5\"\n"
               "return 0 cas of \"k\" -> 1\nreturn 1 cas of 5 -> 0\n");
  expect_steps(
      NULL,
      "{\"object\":\"map\"}\n{\"process\":0,\"type\":\"invoke\",\"f\":\"put\",\"key\":\"k\",\"value\":[1,[2]]}\n"
      "{\"process\":0,\"type\":\"fail\",\"f\":\"put\"}\n"
      "{\"process\":0,\"type\":\"invoke\",\"f\":\"get\",\"value\":[3,null]}\n"
      "{\"process\":0,\"type\":\"window\",\"f\":\"get\"}\n"
      "{\"process\":0,\"type\":\"commit\"}\n"
      "{\"process\":0,\"type\":\"ok\",\"f\":\"get\",\"value\":[3,true]}\n",
      "call 0 put \"k\" \"[1 [2]]\"\nfailed 0 put\ncall 0 get 3\nwindow 0 get\ncommit 0 get\nreturn 0 get -> 1\n");
}

static void
edn(void **state)
{
  (void) state;
  const char *steps = "call 0 write 1\nnever 0 write\ncall 1 read\nreturn 1 read -> nil\ncall 1 cas 1 \":b\"\n"
                      "failed 1 cas\n";
  expect_steps("register",
               "[{:type :invoke, :f :write, :value 1N, :process 0, :time 12, :index 0}\n"
               " {:type :info, :f :kill, :process :nemesis, :value {:a #{1 2}}}\n"
               " {:type :info, :f :write, :value 1, :process 0, :error [:timeout \"]\"]} ; a comment {\n"
               " #jepsen.history.Op{:type :invoke, :f :read, :value nil, :process 1} #_ {:type :nonsense}\n"
               " {:type :ok :f :read :value nil :process 1 :when #inst \"2020-01-01\" :c \\] :s (1 . 2)}\n"
               " {:type :invoke, :f :cas, :value [1 :b], :process 1}\n"
               " {:type :fail, :f :cas, :value [1 :b], :process 1 #_ #_ :x :y}]\n",
               steps);
  expect_steps(NULL,
               "; object=register initial=7\n{:type :invoke, :f :write, :value 1, :process 0}\n"
               "{:type :info, :f :write, :value 1, :process 0}\n{:type :invoke, :f :read, :process 1}\n"
               "{:type :ok, :f :read, :value nil, :process 1}\n{:type :invoke :f :cas :value (1 :b) :process 1}"
               "{:type :fail, :f :cas, :value nil, :process 1}",
               steps);
  expect_steps("set",
               "{:type :invoke :f :add :value 5 :process 0}{:type :ok :f :add :value 5 :process 0}"
               "{:type :invoke :f :add :key 5 :process 0}{:type :ok :f :add :value false :process 0}"
               "{:type :invoke :f :contains :value 5 :process 0}{:type :ok :f :contains :value true :process 0}",
               "call 0 add 5\nreturn 0 add\ncall 0 add 5\nreturn 0 add -> 0\ncall 0 contains 5\n"
               "return 0 contains -> 1\n");
  expect_steps("counter",
               "({:type :invoke :f :add :value 5 :process 0} {:type :ok :f :add :value 5 :process 0}"
               " {:type :invoke :f :inc :process 0} {:type :ok :f :inc :value 6 :process 0}"
               " {:type :invoke :f :read :process 0} {:type :ok :f :read :value 6 :process 0})",
               "call 0 add 5\nreturn 0 add\ncall 0 inc\nreturn 0 inc -> 6\ncall 0 read\nreturn 0 read -> 6\n");
  expect_steps("queue",
               "{:type :invoke :f :deq :process 0}{:type :window :process 0}{:type :commit :f :deq :process 0}"
               "{:type :ok :f :deq :value 5 :process 0}",
               "call 0 deq\nwindow 0 deq\ncommit 0 deq\nreturn 0 deq -> 5\n");
  expect_steps("queue", "[]", "");
  expect_steps("queue", "; nothing but this\n", "");
}

static void
etcd(void **state)
{
  (void) state;
  expect_steps(NULL,
               "INFO  jepsen.util - 0\t:invoke\t:read\tnil\n"
               "INFO jepsen.util - 1 :invoke :cas [2 4]\r\n"
               "INFO  jepsen.core - something else\n"
               "INFO  jepsen.util - :nemesis :info :start nil\n\n"
               "INFO  jepsen.util - 0\t:fail\t:read\t:timed-out\n"
               "INFO  jepsen.util - 1\t:fail\t:cas\t[2 4]\n"
               "INFO  jepsen.util - 1\t:invoke\t:write\t3\n"
               "INFO  jepsen.util - 1\t:info\t:write\t:timed-out\n"
               "INFO  jepsen.util - 2\t:invoke\t:cas\t[3 3]\n"
               "INFO  jepsen.util - 2\t:ok\t:cas\t[3 3]",
               "call 0 read\ncall 1 cas 2 4\nfailed 0 read\nreturn 1 cas -> 0\ncall 1 write 3\nnever 1 write\n"
               "call 2 cas 3 3\nreturn 2 cas -> 1\n");
}

static void
kv(void **state)
{
  (void) state;
  expect_steps(NULL,
               "{:process 0, :type :invoke, :f :append, :key \"0\", :value \"x 0 0 y\"}\n"
               "{:process 0, :type :ok, :f :append, :key \"0\", :value \"x 0 0 y\"}\n"
               "{:process 1, :type :invoke, :f :get, :key \"0\", :value nil}\n"
               "{:process 1, :type :ok, :f :get, :key \"0\", :value \"x 0 0 y\"}\n",
               "call 0 append \"0\" \"x 0 0 y\"\nreturn 0 append\ncall 1 get \"0\"\nreturn 1 get -> \"x 0 0 y\"\n");
}

static void
synthetic(void **state)
{
  (void) state;
  expect_steps(NULL,
               "# object=kv clients=2 ops=3 seed=1 linearizable=yes\nI 1 put 15 1\nI 0 get \"a b\"\nC 1\nR 1\n"
               "# wrong: line 1\n\nC 0\nR 0 -1\n I 0\tdel word\nR 0 1\nI 2 get nil",
               "call 1 put 15 1\ncall 0 get \"a b\"\ncommit 1 put\nreturn 1 put\ncommit 0 get\nreturn 0 get -> -1\n"
               "call 0 del \"word\"\nreturn 0 del -> 1\ncall 2 get nil\n");
  expect_steps("stack", "I 0 push 3\nI 1 push 4\n\tW  0\r\nC 1\nC 0\nR 0\n",
               "call 0 push 3\ncall 1 push 4\nwindow 0 push\ncommit 1 push\ncommit 0 push\nreturn 0 push\n");
  expect_steps("stack", "I 0 push 3\nR 0\nI 0 pop\nR 0",
               "call 0 push 3\nreturn 0 push\ncall 0 pop\nreturn 0 pop -> nil\n");
}

static void
heads(void **state)
{
  (void) state;
  static const struct
  {
    const char *text, *spec, *initial;
  } cases[] = {
      {"# object=uregister clients=1\n", "register", " -1"},
      {"# object=register initial=nil\n", "register", " nil"},
      {"# object=queue\n", "queue", NULL},
      {"; object=counter initial=12\n[]", "counter", " 12"},
      {"{\"object\":\"register\",\"initial\":\"a b\"}", "register", " \"a b\""},
      {"INFO jepsen.util - 0 :invoke :read nil", "register", NULL},
      {"{:process 0, :type :invoke, :f :get, :key 1}", "map", NULL},
      {"I 0 deq", NULL, NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
  {
    char *error;
    hd_value initial;
    hd_string s = {0};
    hd_history *h = history_from_text(cases[i].text, HD_HISTORY_AUTO, &error);
    if (!h)
      fail_msg("%s", error);
    if (cases[i].spec)
      assert_string_equal(hd_history_spec_name(h), cases[i].spec);
    else
      assert_null(hd_history_spec_name(h));
    assert_int_equal(hd_history_initial(h, &initial), cases[i].initial != NULL);
    if (cases[i].initial)
    {
      history_add_value(&s, initial);
      assert_string_equal(s.text, cases[i].initial);
      hd_string_free(&s);
    }
    hd_history_free(h);
  }
}

/* ---- errors ---- */

#define INVOKE "{\"process\":0,\"type\":\"invoke\",\"f\":\"read\"}\n"

static void
errors(void **state)
{
  (void) state;
  static const struct
  {
    const char *spec, *text, *error;
  } cases[] = {
      {"register", "", "h:1:1: error: the file is empty"},
      {"register", "hello",
       "h:1:1: error: this is no history in a form that Heddle knows; 'heddle help history' shows them, and --format "
       "says which one it is"},
      /* pairing */
      {"register", INVOKE INVOKE, "h:2:1: error: process 0 calls read, but its read of line 1 has not returned"},
      {"register", "\n  {\"process\":7,\"type\":\"ok\",\"f\":\"read\"}",
       "h:2:3: error: process 7 returns, but has nothing open: a call (invoke) is missing before this line"},
      {"register", INVOKE "{\"process\":0,\"type\":\"ok\",\"f\":\"write\"}",
       "h:2:1: error: process 0 returns in write, but it called read in line 1"},
      {"register", INVOKE "{\"process\":0,\"type\":\"info\",\"f\":\"read\"}\n" INVOKE,
       "h:3:1: error: process 0 calls read, but its last operation ended with info in line 2, so it may still be at "
       "it; "
       "give who goes on a new number"},
      {"queue", "I 0 enq 1\nC 0\nC 0", "h:3:1: error: process 0 commits twice in its enq of line 1"},
      {"queue", "W 0\n",
       "h:1:1: error: process 0 opens a window, but has nothing open: a call (invoke) is missing before this line"},
      {"queue", "I 0 enq 1\nR 0\n  W 0",
       "h:3:3: error: process 0 opens a window, but has nothing open: a call (invoke) is missing before this line"},
      {"queue", "I 0 enq 1\nW 0\nW 0", "h:3:1: error: process 0 opens a window twice in its enq of line 1"},
      {"queue", "I 0 enq 1\nW 0\nC 0\nW 0",
       "h:4:1: error: process 0 opens a window after the commit of its enq of line 1; a window begins before the "
       "commit "
       "that ends it"},
      {"register", "{\"process\":0,\"type\":\"window\"}",
       "h:1:1: error: process 0 opens a window, but has nothing open: a call (invoke) is missing before this line"},
      {"queue", "{:process 0 :type :invoke :f :deq :key 1}{:process 0 :type :ok :key 2}",
       "h:1:42: error: process 0 returns with another key than it called deq with in line 1"},
      {"queue", "{:process 0 :type :invoke :f :deq}\n{:process 0 :type :commit}\n{:process 0 :type :fail}",
       "h:3:1: error: process 0 fails, which means that its deq did not happen, but it has committed"},
      /* operations and values */
      {"register", "I 0 deq",
       "h:1:1: error: the specification register has no operation 'deq'; it has read, write and cas"},
      {"register", "I 0 cas 1", "h:1:1: error: cas takes 2 arguments, not 1"},
      {"register", "{:process 0 :type :invoke :f :cas :value 1}",
       "h:1:1: error: cas needs 2 values in a list, such as [1 2]"},
      {"register", "{:process 0 :type :invoke :f :read :value 1}", "h:1:1: error: read takes no value"},
      {"register", "{:process 0 :type :invoke :f :write}", "h:1:1: error: write needs a value"},
      {"map", "{:process 0 :type :invoke :f :get}",
       "h:1:1: error: get needs a key: a field key, or the value [KEY VALUE]"},
      {"counter", "I 0 add x", "h:1:1: error: add takes a whole number"},
      {"counter", "I 0 get\nR 0 x", "h:2:1: error: get returns a whole number"},
      {"set", "{:process 0 :type :invoke :f :contains :value 1}\n{:process 0 :type :ok :value 7}",
       "h:2:1: error: contains returns true or false"},
      {"set", "{:process 0 :type :invoke :f :add :value 1}\n{:process 0 :type :ok :value 7}",
       "h:2:1: error: add is ok with true, with false or with its own value again"},
      {"register", "{:process 0 :type :invoke :f :cas :value [1 2]}\n{:process 0 :type :ok :value 7}",
       "h:2:1: error: cas is ok with its values, [1 2], with true or with false"},
      /* fields */
      {"register", "{\"type\":\"invoke\",\"f\":\"read\"}",
       "h:1:1: error: this event has no process; an event has at least process, type and f"},
      {"register", "{\"process\":\"x\",\"type\":\"invoke\"}",
       "h:1:12: error: a process is a whole number (only nemesis is another, and left out)"},
      {"register", "{\"process\":1,\"f\":\"read\"}", "h:1:1: error: this event has no type: invoke, ok, fail or info"},
      {"register", "{\"process\":1,\"type\":\"call\",\"f\":\"read\"}",
       "h:1:21: error: 'call' is no type of event; there are invoke, ok, fail and info"},
      {"register", "{\"process\":1,\"type\":\"invoke\"}",
       "h:1:1: error: this event has no f, the name of the operation"},
      {"register", "{\"process\":1,\"type\":\"invoke\",\"f\":3}", "h:1:34: error: f is the name of an operation"},
      {"register", "{\"process\":1,\"process\":2}", "h:1:14: error: this event has \"process\" twice"},
      {"register", "{:f :read :f :read}", "h:1:11: error: this event has :f twice"},
      {"register", "{\"object\":3}", "h:1:11: error: \"object\" is the name of a specification, such as \"queue\""},
      {"register", "{\"object\":\"a\"}\n{\"object\":\"b\"}\n",
       "h:2:11: error: the history says twice what object it is about"},
      /* JSON */
      {"register", INVOKE "nonsense",
       "h:2:1: error: an event should stand here, such as {\"process\":3,\"type\":\"invoke\",\"f\":\"read\"}, one a "
       "line, "
       "not 'nonsense'"},
      {"register", "{\"process\" 3}", "h:1:12: error: a colon should stand here, between the name and its value"},
      {"register", "{\"process\":3 \"f\"}", "h:1:14: error: a comma or '}' should stand here"},
      {"register", "{\"process\":3,}",
       "h:1:14: error: a name in quotes should stand here: \"process\", \"type\", \"f\", \"value\""},
      {"register", "{\"process\":3", "h:1:1: error: this '{' is never closed"},
      {"register", "{\"process\":nil}",
       "h:1:12: error: 'nil' is not JSON: a value is a number, a string in \"quotes\", true, false, null or a list"},
      {"register", "{\"process\":}", "h:1:12: error: a value should stand here"},
      {"register", "{\"process\":", "h:1:12: error: the file ends where a value should stand"},
      {"register", "{\"process\":[1,", "h:1:12: error: this '[' is never closed"},
      {"register", "{\"process\":\"abc\n\"}", "h:1:12: error: this string has no end: its closing quote is missing"},
      {"register", "{\"process\":\"\\x\"}",
       "h:1:14: error: a string has no such escape; a backslash itself is written \\\\"},
      {"register", "{\"process\":\"\\u12g4\"}", "h:1:17: error: \\u is followed by four hexadecimal digits"},
      /* EDN */
      {"register", "[{:process 0", "h:1:2: error: this '{' is never closed"},
      {"register", "[{:process 0 :type :info :f :x", "h:1:2: error: this '{' is never closed"},
      {"register", "[", "h:1:1: error: this '[' is never closed"},
      {"register", "[[{}]]", "h:1:2: error: the events are maps, {:process 3, ...}, in one list"},
      {"register", "{:process}", "h:1:10: error: a map has a value for each key; one is missing here"},
      {"register", "{:process :nemesis}]", "h:1:20: error: ']' closes nothing here"},
      {"register", "{:process )}", "h:1:11: error: ')' closes nothing here"},
      {"register", "{:process :nemesis :a \"x}", "h:1:23: error: this string has no end: its closing quote is missing"},
      {"register", "{:process # 3}", "h:1:11: error: '#' is followed by a tag"},
      {"register", "{:process 0 :type :commit :f", "h:1:29: error: the file ends where a value should stand"},
      {"register", "{:process :nemesis} word",
       "h:1:21: error: an event should stand here, a map such as {:process 3, :type :invoke, :f :read, :value nil}, "
       "not "
       "'word'"},
      /* etcd */
      {"register", "INFO jepsen.util - 0 :invoke :read",
       "h:1:35: error: the value is missing; a line is INFO jepsen.util - PROCESS :TYPE :OPERATION VALUE"},
      {"register", "INFO jepsen.util - 0 :invoke\nINFO",
       "h:1:29: error: the operation is missing; a line is INFO jepsen.util - PROCESS :TYPE :OPERATION VALUE"},
      {"register", "INFO jepsen.util - 0 :invoke :read nil nil",
       "h:1:40: error: the line should end here, after one value"},
      /* synthetic */
      {"queue", "I 0 enq 1\nX 0",
       "h:2:1: error: a line is 'I PROCESS OPERATION [ARGUMENTS]', 'W PROCESS', 'C PROCESS' or 'R PROCESS "
       "[RESULT]'"},
      {"queue", "I 0 enq 1\nR x",
       "h:2:3: error: a process, which is a whole number, should stand here: a line is 'I PROCESS OPERATION "
       "[ARGUMENTS]', 'W PROCESS', 'C PROCESS' or 'R PROCESS [RESULT]'"},
      {"queue", "I 0 enq 1\nR 0 1 2",
       "h:2:7: error: the line should end here: a line is 'I PROCESS OPERATION [ARGUMENTS]', 'W PROCESS', 'C PROCESS' "
       "or "
       "'R PROCESS [RESULT]'"},
      {"queue", "I 0 enq 1\nW 0 1",
       "h:2:5: error: the line should end here: a line is 'I PROCESS OPERATION [ARGUMENTS]', 'W PROCESS', 'C PROCESS' "
       "or "
       "'R PROCESS [RESULT]'"},
      {"queue", "I 0",
       "h:1:4: error: the name of an operation should stand here: a line is 'I PROCESS OPERATION [ARGUMENTS]', 'W "
       "PROCESS', 'C PROCESS' or 'R PROCESS [RESULT]'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
  {
    char *error = NULL;
    history_dump d = {0};
    hd_history *h = history_from_text(cases[i].text, HD_HISTORY_AUTO, &error);
    if (h && hd_history_read(h, hd_specs_find(cases[i].spec), history_dump_step, &d, &error))
      fail_msg("no error in: %s", cases[i].text);
    assert_string_equal(error, cases[i].error);
    free(error);
    hd_string_free(&d.text);
    hd_history_free(h);
  }
}

static void
deep_nesting(void **state)
{
  (void) state;
  static const struct
  {
    const char *before, *again;
  } cases[] = {{"{:value ", "["}, {"{:value ", "#a "}, {"{:value ", "#_"}, {"{\"value\":", "["}, {"{\"value\":", "{"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
  {
    hd_string s = {0};
    hd_string_add(&s, cases[i].before);
    for (int k = 0; k < 100000; k++)
      hd_string_add(&s, cases[i].again);
    char *error;
    assert_null(history_from_text(s.text, HD_HISTORY_AUTO, &error));
    assert_non_null(strstr(error, "nested too deeply"));
    free(error);
    hd_string_free(&s);
  }
}

/* ---- files ---- */

static void
pipes_and_missing_files(void **state)
{
  (void) state;
  char *error;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], "I 0 deq\nR 0 1\n", 14), 14);
  close(ends[1]);
  history_dump d = {0};
  hd_history *h = hd_history_new_fd(ends[0], "pipe", HD_HISTORY_AUTO, &error);
  assert_non_null(h);
  for (int i = 0; i < 2; i++) /* twice: it was copied */
    assert_true(hd_history_read(h, hd_specs_find("queue"), history_dump_step, &d, &error));
  assert_string_equal(d.text.text, "call 0 deq\nreturn 0 deq -> 1\ncall 0 deq\nreturn 0 deq -> 1\n");
  hd_string_free(&d.text);
  hd_history_free(h);
  assert_null(hd_history_new("not-there", HD_HISTORY_AUTO, &error));
  assert_string_equal(error, "not-there: error: No such file or directory");
  free(error);
  assert_null(hd_history_new("/", HD_HISTORY_AUTO, &error));
  assert_string_equal(error, "/: error: Is a directory");
  free(error);
}

/* Strings and words across the borders of the pieces in which files are read. */
static void
long_files(void **state)
{
  (void) state;
  hd_string s = {0};
  for (int i = 0; i < 20000; i++)
    hd_string_printf(&s,
                     "{:process %d, :type :invoke, :f :enqueue, :value \"%0*d\"} #_ skipped\n"
                     "{:process %d, :type :ok, :f :enqueue, :value nil}\n",
                     i, i % 57 + 1, i, i);
  char *error;
  history_dump d = {0};
  hd_history *h = history_from_text(s.text, HD_HISTORY_AUTO, &error);
  assert_non_null(h);
  if (!hd_history_read(h, hd_specs_find("queue"), history_dump_step, &d, &error))
    fail_msg("%s", error);
  const char *at = d.text.text;
  for (int i = 0; i < 20000; i++)
  {
    char want[160];
    int n = snprintf(want, sizeof want, "call %d enqueue \"%0*d\"\nreturn %d enqueue\n", i, i % 57 + 1, i, i);
    assert_memory_equal(at, want, n);
    at += n;
  }
  hd_string_free(&s);
  hd_string_free(&d.text);
  hd_history_free(h);
}

static void
given_histories(void **state)
{
  (void) state;
  static const char *const folders[] = {"etcd", "kv", "synthetic"};
  const char *root = getenv("HEDDLE_HISTORIES");
  for (size_t i = 0; root && i < sizeof folders / sizeof *folders; i++)
  {
    hd_string folder = {0};
    hd_string_printf(&folder, "%s/%s", root, folders[i]);
    DIR *dir = opendir(folder.text);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
    {
      if (entry->d_name[0] == '.' || strcmp(entry->d_name, "expected.txt") == 0)
        continue;
      hd_string path = {0};
      hd_string_printf(&path, "%s/%s", folder.text, entry->d_name);
      char *error;
      hd_history *h = hd_history_new(path.text, HD_HISTORY_AUTO, &error);
      if (!h)
        fail_msg("%s", error);
      assert_string_equal(hd_history_form_name(hd_history_get_form(h)), folders[i]);
      history_dump d = {0};
      if (!hd_history_read(h, hd_specs_find(hd_history_spec_name(h)), history_dump_step, &d, &error))
        fail_msg("%s", error);
      assert_true(d.text.length > 0);
      hd_string_free(&d.text);
      hd_history_free(h);
      hd_string_free(&path);
    }
    closedir(dir);
    hd_string_free(&folder);
  }
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jsonl),
      cmocka_unit_test(edn),
      cmocka_unit_test(etcd),
      cmocka_unit_test(kv),
      cmocka_unit_test(synthetic),
      cmocka_unit_test(heads),
      cmocka_unit_test(errors),
      cmocka_unit_test(deep_nesting),
      cmocka_unit_test(pipes_and_missing_files),
      cmocka_unit_test(long_files),
      cmocka_unit_test(given_histories),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
