/* heddle.h: annotate a concurrent object so that Heddle can check it. Link with -lheddle; C only.
 *
 *   hd_object set_log;                               one for each object that is checked
 *   hd_object_init(&set_log, "multiset", "s");       the type is the name of its specification
 *
 *   bool insert(struct set *s, int x)
 *   {
 *     HD_CALL(&set_log, "insert", x);
 *     pthread_mutex_lock(&s->lock);
 *     ...
 *     HD_COMMIT(&set_log);                           inside the critical section: the insert takes effect here
 *     pthread_mutex_unlock(&s->lock);
 *     HD_RETURN(&set_log, true);
 *     return true;
 *   }
 *
 *   HEDDLE_LOG=run.hlog ./program                    then: heddle check run.hlog --spec ./multiset.so
 *
 * Without HEDDLE_LOG (and hd_start) a macro costs a test and a call; with -DHEDDLE_OFF it is nothing at all: no
 * argument is evaluated (HD_ASSIGN is then a plain assignment). docs/logging.md says where each macro must stand and
 * why, what it costs, and what happens on fork, exit, signals, longjmp, a full disk and misuse.
 *
 * Values are integers of any size, bool, strings (char *, const char *; null is logged as "") and hd_value
 * (hd_bytes(p, n), hd_nil(), ...). Cast pointers and enumerations in bit-fields to an integer. */
#ifndef HEDDLE_H
#define HEDDLE_H

#include <heddle/value.h>

#ifdef __cplusplus
#error "heddle.h is for C: its macros use _Generic"
#endif

typedef enum hd_policy
{
  HD_POLICY_SPILL, /* the file grows */
  HD_POLICY_BLOCK, /* at the limit wait for the reader; as spill if none is there */
  HD_POLICY_DROP,  /* at the limit operations are not logged; the log says so and is never reported as correct */
} hd_policy;

/* How to log. All zero but PATH is a good choice. */
typedef struct hd_options
{
  const char *path; /* %p becomes the process id, %% a percent sign */
  hd_policy policy;
  uint64_t limit;  /* bytes of log that policies block and drop allow; 0: none */
  uint64_t ahead;  /* bytes of log that a helper thread keeps ready; 0: 8 MiB */
  uint32_t reader; /* process that reads the log meanwhile and gives room back; 0: none */
} hd_options;

#ifndef HEDDLE_OFF

#include <heddle/fast.h>

/* Begin to log. NULL: as the environment says (HEDDLE_LOG, HEDDLE_POLICY, HEDDLE_LIMIT, HEDDLE_READER); that is also
 * done when the program starts. False: hd_error says why, and the program runs on unlogged. Objects that exist already
 * are not logged. */
HD_API bool hd_start(const hd_options *options);

/* End the log: the file is whole afterwards. Done at exit too. Other threads may be anywhere; an event that one of them
 * is just writing may be missing its stamp. */
HD_API void hd_stop(void);

/* This thread does not log until hd_resume is called as often. Only where none of its operations is open. */
HD_API void hd_pause(void);
HD_API void hd_resume(void);

/* Why logging is not running, or NULL if it is. Valid until the next hd_start. */
HD_API const char *hd_error(void);

/* The file of the running log, or NULL. */
HD_API const char *hd_path(void);

/* Make O known to the log. TYPE: the name of its specification; NAME: for messages. Before any operation on it, by one
 * thread. If logging is not running, or the log cannot take it, O is not logged. */
HD_API void hd_object_init(hd_object *o, const char *type, const char *name);
/* The same; CONFIG is handed to the specification's create function. */
HD_API void hd_object_init_config(hd_object *o, const char *type, const char *name, const hd_value *config, size_t n);
/* No operation on O may be open or follow. */
HD_API void hd_object_destroy(hd_object *o);

/* Used by HD_GUARD. */
typedef struct hd_guard
{
  hd_object *object;
  hd_open *open;
  hd_site *site;
} hd_guard;
HD_API void hd_guard_end(hd_guard *guard);
HD_API hd_guard hd_guard_begin(hd_object *o, hd_site *site);

/* ---- how a macro becomes an event ---- */
#define HD_PASTE_(a, b) a##b
#define HD_PASTE(a, b) HD_PASTE_(a, b)
#define HD_PICK(a, b, c, d, e, f, g, h, n, ...) n
#define HD_COUNT(...) HD_PICK(__VA_ARGS__, 7, 6, 5, 4, 3, 2, 1, 0, 0) /* after the first */

#define HD_SITE(k, m, n, ...)                                                                                          \
  {                                                                                                                    \
    .line = __LINE__, .file = __FILE__, .function = __func__, .method = (m), .kind = (k), .nvalues = (n),              \
    .types                                                                                                             \
        = { __VA_ARGS__ }                                                                                              \
  }

#define HD_LOG_0(fast, kind, obj, method)                                                                              \
  do                                                                                                                   \
  {                                                                                                                    \
    static hd_site hd_s_ = HD_SITE(kind, method, 0, 0);                                                                \
    hd_object *hd_o_ = (obj);                                                                                          \
    if (!fast(hd_o_, &hd_s_, 0, 0, 0, 0, 0, 0, 0, 0))                                                                  \
      hd_log_event(hd_o_, &hd_s_, NULL);                                                                               \
  } while (0)
#define HD_LOG_1(fast, kind, obj, method, a)                                                                           \
  do                                                                                                                   \
  {                                                                                                                    \
    static hd_site hd_s_ = HD_SITE(kind, method, 1, HD_VT(a));                                                         \
    hd_object *hd_o_ = (obj);                                                                                          \
    const hd_value hd_1_ = HD_V(a);                                                                                    \
    if (!HD_VN(a) || !fast(hd_o_, &hd_s_, 1, hd_1_.u, 0, 0, 0, 0, 0, 0))                                               \
      hd_log_event(hd_o_, &hd_s_, (const hd_value[]){hd_1_});                                                          \
  } while (0)
#define HD_LOG_2(fast, kind, obj, method, a, b)                                                                        \
  do                                                                                                                   \
  {                                                                                                                    \
    static hd_site hd_s_ = HD_SITE(kind, method, 2, HD_VT(a), HD_VT(b));                                               \
    hd_object *hd_o_ = (obj);                                                                                          \
    const hd_value hd_1_ = HD_V(a), hd_2_ = HD_V(b);                                                                   \
    if (!(HD_VN(a) && HD_VN(b)) || !fast(hd_o_, &hd_s_, 2, hd_1_.u, hd_2_.u, 0, 0, 0, 0, 0))                           \
      hd_log_event(hd_o_, &hd_s_, (const hd_value[]){hd_1_, hd_2_});                                                   \
  } while (0)
#define HD_LOG_3(fast, kind, obj, method, a, b, c)                                                                     \
  do                                                                                                                   \
  {                                                                                                                    \
    static hd_site hd_s_ = HD_SITE(kind, method, 3, HD_VT(a), HD_VT(b), HD_VT(c));                                     \
    hd_object *hd_o_ = (obj);                                                                                          \
    const hd_value hd_1_ = HD_V(a), hd_2_ = HD_V(b), hd_3_ = HD_V(c);                                                  \
    if (!(HD_VN(a) && HD_VN(b) && HD_VN(c)) || !fast(hd_o_, &hd_s_, 3, hd_1_.u, hd_2_.u, hd_3_.u, 0, 0, 0, 0))         \
      hd_log_event(hd_o_, &hd_s_, (const hd_value[]){hd_1_, hd_2_, hd_3_});                                            \
  } while (0)
#define HD_LOG_4(fast, kind, obj, method, a, b, c, d)                                                                  \
  do                                                                                                                   \
  {                                                                                                                    \
    static hd_site hd_s_ = HD_SITE(kind, method, 4, HD_VT(a), HD_VT(b), HD_VT(c), HD_VT(d));                           \
    hd_object *hd_o_ = (obj);                                                                                          \
    const hd_value hd_1_ = HD_V(a), hd_2_ = HD_V(b), hd_3_ = HD_V(c), hd_4_ = HD_V(d);                                 \
    if (!(HD_VN(a) && HD_VN(b) && HD_VN(c) && HD_VN(d))                                                                \
        || !fast(hd_o_, &hd_s_, 4, hd_1_.u, hd_2_.u, hd_3_.u, hd_4_.u, 0, 0, 0))                                       \
      hd_log_event(hd_o_, &hd_s_, (const hd_value[]){hd_1_, hd_2_, hd_3_, hd_4_});                                     \
  } while (0)
#define HD_LOG_5(fast, kind, obj, method, a, b, c, d, e)                                                               \
  do                                                                                                                   \
  {                                                                                                                    \
    static hd_site hd_s_ = HD_SITE(kind, method, 5, HD_VT(a), HD_VT(b), HD_VT(c), HD_VT(d), HD_VT(e));                 \
    hd_object *hd_o_ = (obj);                                                                                          \
    const hd_value hd_1_ = HD_V(a), hd_2_ = HD_V(b), hd_3_ = HD_V(c), hd_4_ = HD_V(d), hd_5_ = HD_V(e);                \
    if (!(HD_VN(a) && HD_VN(b) && HD_VN(c) && HD_VN(d) && HD_VN(e))                                                    \
        || !fast(hd_o_, &hd_s_, 5, hd_1_.u, hd_2_.u, hd_3_.u, hd_4_.u, hd_5_.u, 0, 0))                                 \
      hd_log_event(hd_o_, &hd_s_, (const hd_value[]){hd_1_, hd_2_, hd_3_, hd_4_, hd_5_});                              \
  } while (0)
#define HD_LOG_6(fast, kind, obj, method, a, b, c, d, e, f)                                                            \
  do                                                                                                                   \
  {                                                                                                                    \
    static hd_site hd_s_ = HD_SITE(kind, method, 6, HD_VT(a), HD_VT(b), HD_VT(c), HD_VT(d), HD_VT(e), HD_VT(f));       \
    hd_object *hd_o_ = (obj);                                                                                          \
    const hd_value hd_1_ = HD_V(a), hd_2_ = HD_V(b), hd_3_ = HD_V(c), hd_4_ = HD_V(d), hd_5_ = HD_V(e),                \
                   hd_6_ = HD_V(f);                                                                                    \
    if (!(HD_VN(a) && HD_VN(b) && HD_VN(c) && HD_VN(d) && HD_VN(e) && HD_VN(f))                                        \
        || !fast(hd_o_, &hd_s_, 6, hd_1_.u, hd_2_.u, hd_3_.u, hd_4_.u, hd_5_.u, hd_6_.u, 0))                           \
      hd_log_event(hd_o_, &hd_s_, (const hd_value[]){hd_1_, hd_2_, hd_3_, hd_4_, hd_5_, hd_6_});                       \
  } while (0)
#define HD_LOG_7(fast, kind, obj, method, a, b, c, d, e, f, g)                                                         \
  do                                                                                                                   \
  {                                                                                                                    \
    static hd_site hd_s_                                                                                               \
        = HD_SITE(kind, method, 7, HD_VT(a), HD_VT(b), HD_VT(c), HD_VT(d), HD_VT(e), HD_VT(f), HD_VT(g));              \
    hd_object *hd_o_ = (obj);                                                                                          \
    const hd_value hd_1_ = HD_V(a), hd_2_ = HD_V(b), hd_3_ = HD_V(c), hd_4_ = HD_V(d), hd_5_ = HD_V(e),                \
                   hd_6_ = HD_V(f), hd_7_ = HD_V(g);                                                                   \
    if (!(HD_VN(a) && HD_VN(b) && HD_VN(c) && HD_VN(d) && HD_VN(e) && HD_VN(f) && HD_VN(g))                            \
        || !fast(hd_o_, &hd_s_, 7, hd_1_.u, hd_2_.u, hd_3_.u, hd_4_.u, hd_5_.u, hd_6_.u, hd_7_.u))                     \
      hd_log_event(hd_o_, &hd_s_, (const hd_value[]){hd_1_, hd_2_, hd_3_, hd_4_, hd_5_, hd_6_, hd_7_});                \
  } while (0)
#define HD_LOG(fast, kind, obj, ...) HD_PASTE(HD_LOG_, HD_COUNT(__VA_ARGS__))(fast, kind, obj, __VA_ARGS__)
#define HD_RETURN_0(kind, obj) HD_LOG_0(hd_fast_return, kind, obj, NULL)
#define HD_RETURN_1(kind, obj, value) HD_LOG_1(hd_fast_return, kind, obj, NULL, value)
#define HD_RETURN_N(kind, ...) HD_PASTE(HD_RETURN_, HD_COUNT(__VA_ARGS__))(kind, __VA_ARGS__)
#define HD_VAR(var) ((uint64_t) (uintptr_t) (var))

/* ---- operations: HD_CALL(obj, "method", arguments...), at most 7 arguments ---- */
#define HD_CALL(obj, ...) HD_LOG(hd_fast_call, HD_M_CALL, obj, __VA_ARGS__)
/* A mutator that will log no commit: it takes effect anywhere between its call and its return. */
#define HD_CALL_NOCOMMIT(obj, ...) HD_LOG(hd_fast_none, HD_M_CALL_NOCOMMIT, obj, __VA_ARGS__)
/* HD_RETURN(obj) or HD_RETURN(obj, value) */
#define HD_RETURN(...) HD_RETURN_N(HD_M_RETURN, __VA_ARGS__)
#define HD_RETURN_EXC(obj, value) HD_RETURN_1(HD_M_RETURN_EXC, obj, value)

/* ---- commits ---- */
#define HD_COMMIT(obj) HD_LOG_0(hd_fast_commit, HD_M_COMMIT, obj, NULL)
#define HD_COMMIT_IF(cond, obj)                                                                                        \
  do                                                                                                                   \
  {                                                                                                                    \
    if (cond)                                                                                                          \
      HD_COMMIT(obj);                                                                                                  \
  } while (0)
#define HD_COMMIT_RET(obj, value) HD_LOG_1(hd_fast_commit, HD_M_COMMIT_RET, obj, NULL, value)
#define HD_COMMIT_EXC(obj, value) HD_LOG_1(hd_fast_commit, HD_M_COMMIT_EXC, obj, NULL, value)
/* Before a step that others can see without our lock (a CAS, a published pointer); the HD_COMMIT after the step ends
 * it. */
#define HD_WINDOW(obj) HD_LOG_0(hd_fast_window, HD_M_WINDOW, obj, NULL)
#define HD_BLOCK_BEGIN(obj) HD_LOG_0(hd_fast_block_begin, HD_M_BLOCK_BEGIN, obj, NULL)
#define HD_BLOCK_END(obj) HD_LOG_0(hd_fast_block_end, HD_M_BLOCK_END, obj, NULL)

/* ---- the state, for views ---- */
/* After the store; the variable's lock held over both. */
#define HD_WRITE(obj, var, value) HD_LOG_2(hd_fast_write, HD_M_WRITE, obj, NULL, HD_VAR(var), value)
/* Before a store that gives the variable away: from then on others may write it without our lock. */
#define HD_WRITE_RELEASE(obj, var, value)                                                                              \
  do                                                                                                                   \
  {                                                                                                                    \
    HD_WRITE(obj, var, value);                                                                                         \
    HD_FENCE_RELEASE(); /* pairs with the acquire by which the next owner sees the store */                            \
  } while (0)
/* Store VALUE in LVALUE and log it with the value that it replaced. */
#define HD_ASSIGN(obj, var, lvalue, value)                                                                             \
  do                                                                                                                   \
  {                                                                                                                    \
    __typeof__(lvalue) *hd_p_ = &(lvalue);                                                                             \
    const __typeof__(lvalue) hd_old_ = *hd_p_, hd_new_ = (value);                                                      \
    *hd_p_ = hd_new_;                                                                                                  \
    HD_LOG_3(hd_fast_write, HD_M_WRITE_OLD, obj, NULL, HD_VAR(var), hd_new_, hd_old_);                                 \
  } while (0)
#define HD_ASSIGN_RELEASE(obj, var, lvalue, value)                                                                     \
  do                                                                                                                   \
  {                                                                                                                    \
    __typeof__(lvalue) *hd_p_ = &(lvalue);                                                                             \
    const __typeof__(lvalue) hd_old_ = *hd_p_, hd_new_ = (value);                                                      \
    HD_LOG_3(hd_fast_write, HD_M_WRITE_OLD, obj, NULL, HD_VAR(var), hd_new_, hd_old_);                                 \
    HD_FENCE_RELEASE(); /* as in HD_WRITE_RELEASE */                                                                   \
    *hd_p_ = hd_new_;                                                                                                  \
  } while (0)
/* A coarse-grained action with its own replay function in the replica. */
#define HD_REPLAY(obj, kind, pointer, length)                                                                          \
  HD_LOG_2(hd_fast_none, HD_M_REPLAY, obj, NULL, (uint64_t) (kind), hd_bytes(pointer, length))
#define HD_REPLAY_RELEASE(obj, kind, pointer, length)                                                                  \
  do                                                                                                                   \
  {                                                                                                                    \
    HD_REPLAY(obj, kind, pointer, length);                                                                             \
    HD_FENCE_RELEASE(); /* as in HD_WRITE_RELEASE */                                                                   \
  } while (0)

/* ---- internal tasks: HD_INTERNAL_BEGIN(obj, "task") ---- */
#define HD_INTERNAL_BEGIN(obj, task) HD_LOG_0(hd_fast_none, HD_M_INTERNAL_BEGIN, obj, task)
#define HD_INTERNAL_END(obj) HD_LOG_0(hd_fast_none, HD_M_INTERNAL_END, obj, NULL)

/* ---- operations that do not return ---- */
#define HD_ABANDON(obj) HD_LOG_0(hd_fast_none, HD_M_ABANDON, obj, NULL)
/* After HD_CALL: if the operation is still open when the scope is left (return, break, cancellation), abandon it. */
#define HD_GUARD(obj)                                                                                                  \
  static hd_site HD_PASTE(hd_guard_site_, __LINE__) = HD_SITE(HD_M_ABANDON, NULL, 0, 0);                               \
  __attribute__((cleanup(hd_guard_end), unused)) hd_guard HD_PASTE(hd_guard_, __LINE__)                                \
      = hd_guard_begin(obj, &HD_PASTE(hd_guard_site_, __LINE__))

#else /* HEDDLE_OFF */

typedef struct hd_object
{
  char unused;
} hd_object;

static inline bool
hd_start(const hd_options *options)
{
  (void) options;
  return false;
}
static inline void
hd_stop(void)
{
}
static inline void
hd_pause(void)
{
}
static inline void
hd_resume(void)
{
}
static inline const char *
hd_path(void)
{
  return NULL;
}
static inline const char *
hd_error(void)
{
  return "the program was compiled with HEDDLE_OFF";
}
static inline void
hd_object_init(hd_object *o, const char *type, const char *name)
{
  (void) o, (void) type, (void) name;
}
static inline void
hd_object_init_config(hd_object *o, const char *type, const char *name, const hd_value *config, size_t n)
{
  (void) o, (void) type, (void) name, (void) config, (void) n;
}
static inline void
hd_object_destroy(hd_object *o)
{
  (void) o;
}

int hd_nothing(const void *o, ...); /* does not exist and is never called: the arguments count as used */
#define HD_NOTHING(...) ((void) sizeof hd_nothing(__VA_ARGS__))
#define HD_CALL(obj, ...) HD_NOTHING(obj, __VA_ARGS__)
#define HD_CALL_NOCOMMIT(obj, ...) HD_NOTHING(obj, __VA_ARGS__)
#define HD_RETURN(...) HD_NOTHING(__VA_ARGS__)
#define HD_RETURN_EXC(obj, value) HD_NOTHING(obj, value)
#define HD_COMMIT(obj) HD_NOTHING(obj)
#define HD_COMMIT_IF(cond, obj) HD_NOTHING(obj, cond)
#define HD_COMMIT_RET(obj, value) HD_NOTHING(obj, value)
#define HD_COMMIT_EXC(obj, value) HD_NOTHING(obj, value)
#define HD_WINDOW(obj) HD_NOTHING(obj)
#define HD_BLOCK_BEGIN(obj) HD_NOTHING(obj)
#define HD_BLOCK_END(obj) HD_NOTHING(obj)
#define HD_WRITE(obj, var, value) HD_NOTHING(obj, var, value)
#define HD_WRITE_RELEASE(obj, var, value) HD_NOTHING(obj, var, value)
#define HD_ASSIGN(obj, var, lvalue, value) ((void) ((lvalue) = (value)))
#define HD_ASSIGN_RELEASE(obj, var, lvalue, value) ((void) ((lvalue) = (value)))
#define HD_REPLAY(obj, kind, pointer, length) HD_NOTHING(obj, kind, pointer, length)
#define HD_REPLAY_RELEASE(obj, kind, pointer, length) HD_NOTHING(obj, kind, pointer, length)
#define HD_INTERNAL_BEGIN(obj, task) HD_NOTHING(obj, task)
#define HD_INTERNAL_END(obj) HD_NOTHING(obj)
#define HD_ABANDON(obj) HD_NOTHING(obj)
#define HD_GUARD(obj) HD_NOTHING(obj)

#endif
#endif
