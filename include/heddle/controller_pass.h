/* controller_pass.h: one reading of a controller file by controller.h; not to be included by anybody else. It gives the
 * words of the language the meaning of the pass, includes the file, and takes the words away again. A word that a pass
 * does not care about is nothing. */
#include <heddle/controller_macros.h>

#ifdef HD_CONTROLLER_PASS

#define CONST(name, ...)
#define ASSUME(...)
#define THREADS(...)
#define INT(name, ...)
#define BOOL(name, ...)
#define ENUM(name, initial, values)
#define STATE(name)
#define BLOCKING(action)
#define NONBLOCKING(action)
#define WHEN(...)
#define DO(...)
#define END
#define EDGE(from, action, to)
#define SPEC(name, ...)
#define SPEC_FAIR(name, ...)

#if HD_CONTROLLER_PASS == HD_CC_PASS_VALUES
#undef ENUM
#define ENUM(name, initial, values)                                                                                    \
  enum HD_CC_NAME(_##name)                                                                                             \
  {                                                                                                                    \
    HD_CC_EACH(HD_CC_PREFIXED, HD_CONTROLLER, HD_CC_OPEN values)                                                       \
  };

#elif HD_CONTROLLER_PASS == HD_CC_PASS_ACTION_NAMES
#undef BLOCKING
#undef NONBLOCKING
#define BLOCKING(action) HD_CC_NAME(_action_##action),
#define NONBLOCKING(action) HD_CC_NAME(_action_##action),

#elif HD_CONTROLLER_PASS == HD_CC_PASS_STATE_NAMES
#undef STATE
#define STATE(name) HD_CC_NAME(_state_##name),

#elif HD_CONTROLLER_PASS == HD_CC_PASS_MEMBERS
#undef CONST
#undef INT
#undef BOOL
#undef ENUM
#define CONST(name, ...) int name;
#define INT(name, ...) int name;
#define BOOL(name, ...) bool name;
#define ENUM(name, initial, values) enum HD_CC_NAME(_##name) name;

#elif HD_CONTROLLER_PASS == HD_CC_PASS_PARAMETERS
#undef CONST
#define CONST(name, ...) , int name

#elif HD_CONTROLLER_PASS == HD_CC_PASS_ARGUMENTS
#undef CONST
#define CONST(name, ...) , name

#elif HD_CONTROLLER_PASS == HD_CC_PASS_ASSUMPTIONS
#undef CONST
#undef ASSUME
#define CONST(name, ...)                                                                                               \
  if (!(__VA_ARGS__))                                                                                                  \
    hd_controller_assumption(HD_CC_TEXT(HD_CONTROLLER), #__VA_ARGS__, #name, name);
#define ASSUME(...)                                                                                                    \
  if (!(__VA_ARGS__))                                                                                                  \
    hd_controller_assumption(HD_CC_TEXT(HD_CONTROLLER), #__VA_ARGS__, NULL, 0);

#elif HD_CONTROLLER_PASS == HD_CC_PASS_INITIAL
#undef CONST
#undef INT
#undef BOOL
#undef ENUM
#define CONST(name, ...) hd_c_->name = name;
#define INT(name, ...) hd_c_->name = (__VA_ARGS__);
#define BOOL(name, ...) hd_c_->name = (__VA_ARGS__);
#define ENUM(name, initial, values)                                                                                    \
  {                                                                                                                    \
    enum                                                                                                               \
    {                                                                                                                  \
      HD_CC_OPEN values                                                                                                \
    };                                                                                                                 \
    hd_c_->name = (enum HD_CC_NAME(_##name))(initial);                                                                 \
  }

/* An enumeration is an int while an action runs: its values have their bare names there, and those are of another type
 * than the NAME_VALUE that the program sees. */
#elif HD_CONTROLLER_PASS == HD_CC_PASS_LOAD
#undef CONST
#undef INT
#undef BOOL
#undef ENUM
#define CONST(name, ...)                                                                                               \
  const int name = hd_c_->name;                                                                                        \
  (void) name;
#define INT(name, ...) int name = hd_c_->name;
#define BOOL(name, ...) bool name = hd_c_->name;
#define ENUM(name, initial, values)                                                                                    \
  enum                                                                                                                 \
  {                                                                                                                    \
    HD_CC_OPEN values                                                                                                  \
  };                                                                                                                   \
  int name = (int) hd_c_->name;

#elif HD_CONTROLLER_PASS == HD_CC_PASS_COMMANDS
#undef BLOCKING
#undef NONBLOCKING
#undef WHEN
#undef DO
#undef END
#define BLOCKING(action) case HD_CC_NAME(_action_##action):
#define NONBLOCKING(action) case HD_CC_NAME(_action_##action):
#define WHEN(...) if (__VA_ARGS__)
#define DO(...)                                                                                                        \
  {                                                                                                                    \
    __VA_ARGS__;                                                                                                       \
    hd_step_ = HD_CONTROLLER_SAME;                                                                                     \
    break;                                                                                                             \
  }
#define END break;

#elif HD_CONTROLLER_PASS == HD_CC_PASS_STORE
#undef INT
#undef BOOL
#undef ENUM
#define HD_CC_STORE(name, value)                                                                                       \
  if (hd_c_->name != value)                                                                                            \
  {                                                                                                                    \
    hd_c_->name = value;                                                                                               \
    hd_step_ = HD_CONTROLLER_CHANGED;                                                                                  \
  }
#define INT(name, ...) HD_CC_STORE(name, name)
#define BOOL(name, ...) HD_CC_STORE(name, name)
#define ENUM(name, initial, values) HD_CC_STORE(name, (enum HD_CC_NAME(_##name)) name)

#elif HD_CONTROLLER_PASS == HD_CC_PASS_PLAIN
#undef BLOCKING
#undef NONBLOCKING
#define BLOCKING(action)                                                                                               \
  static inline bool HD_CC_INNER(_wait_##action)(HD_CONTROLLER * hd_c_, const struct timespec *hd_deadline_)           \
  {                                                                                                                    \
    return HD_CC_INNER(_run)(hd_c_, HD_CC_NAME(_action_##action), true, hd_deadline_);                                 \
  }                                                                                                                    \
  static inline bool HD_CC_INNER(_try_##action)(HD_CONTROLLER * hd_c_)                                                 \
  {                                                                                                                    \
    return HD_CC_INNER(_run)(hd_c_, HD_CC_NAME(_action_##action), false, NULL);                                        \
  }
#define NONBLOCKING(action)                                                                                            \
  static inline bool HD_CC_INNER(_now_##action)(HD_CONTROLLER * hd_c_)                                                 \
  {                                                                                                                    \
    return HD_CC_INNER(_run)(hd_c_, HD_CC_NAME(_action_##action), false, NULL);                                        \
  }

/* A nonblocking action moves the thread along its edge whether or not a guard held; the others only when they took
 * effect. */
#elif HD_CONTROLLER_PASS == HD_CC_PASS_PUBLIC
#undef BLOCKING
#undef NONBLOCKING
#define BLOCKING(action)                                                                                               \
  static inline HD_CC_OUTER void HD_CC_NAME(_##action)(HD_CONTROLLER * hd_c_)                                          \
  {                                                                                                                    \
    HD_CC_BEFORE(hd_c_, action)                                                                                        \
    (void) HD_CC_INNER(_wait_##action)(hd_c_, NULL);                                                                   \
    HD_CC_AFTER(hd_c_, action, true)                                                                                   \
  }                                                                                                                    \
  static inline HD_CC_OUTER bool HD_CC_NAME(_##action##_until)(HD_CONTROLLER * hd_c_,                                  \
                                                               const struct timespec *hd_deadline_)                    \
  {                                                                                                                    \
    HD_CC_BEFORE(hd_c_, action)                                                                                        \
    const bool hd_did_ = HD_CC_INNER(_wait_##action)(hd_c_, hd_deadline_);                                             \
    HD_CC_AFTER(hd_c_, action, hd_did_)                                                                                \
    return hd_did_;                                                                                                    \
  }                                                                                                                    \
  static inline HD_CC_OUTER bool HD_CC_NAME(_##action##_try)(HD_CONTROLLER * hd_c_)                                    \
  {                                                                                                                    \
    HD_CC_BEFORE(hd_c_, action)                                                                                        \
    const bool hd_did_ = HD_CC_INNER(_try_##action)(hd_c_);                                                            \
    HD_CC_AFTER(hd_c_, action, hd_did_)                                                                                \
    return hd_did_;                                                                                                    \
  }
#define NONBLOCKING(action)                                                                                            \
  static inline HD_CC_OUTER bool HD_CC_NAME(_##action)(HD_CONTROLLER * hd_c_)                                          \
  {                                                                                                                    \
    HD_CC_BEFORE(hd_c_, action)                                                                                        \
    const bool hd_did_ = HD_CC_INNER(_now_##action)(hd_c_);                                                            \
    HD_CC_AFTER(hd_c_, action, true)                                                                                   \
    return hd_did_;                                                                                                    \
  }

#elif HD_CONTROLLER_PASS == HD_CC_PASS_NEXT
#undef EDGE
#define EDGE(from, action, to)                                                                                         \
  if (hd_state_ == HD_CC_NAME(_state_##from) && hd_action_ == HD_CC_NAME(_action_##action))                            \
    return HD_CC_NAME(_state_##to);

#elif HD_CONTROLLER_PASS == HD_CC_PASS_EDGES
#undef EDGE
#define EDGE(from, action, to) {HD_CC_NAME(_state_##from), HD_CC_NAME(_action_##action), HD_CC_NAME(_state_##to)},

#elif HD_CONTROLLER_PASS == HD_CC_PASS_ACTION_TEXTS
#undef BLOCKING
#undef NONBLOCKING
#define BLOCKING(action) #action,
#define NONBLOCKING(action) #action,

#elif HD_CONTROLLER_PASS == HD_CC_PASS_STATE_TEXTS
#undef STATE
#define STATE(name) #name,

/* All that the code of a controller is made from, as one string. src/generate/source.c makes the same of the file. */
#elif HD_CONTROLLER_PASS == HD_CC_PASS_TEXT
#undef CONST
#undef ASSUME
#undef INT
#undef BOOL
#undef ENUM
#undef STATE
#undef BLOCKING
#undef NONBLOCKING
#undef WHEN
#undef DO
#undef EDGE
#define CONST(...) "CONST(" #__VA_ARGS__ ")\n"
#define ASSUME(...) "ASSUME(" #__VA_ARGS__ ")\n"
#define INT(...) "INT(" #__VA_ARGS__ ")\n"
#define BOOL(...) "BOOL(" #__VA_ARGS__ ")\n"
#define ENUM(...) "ENUM(" #__VA_ARGS__ ")\n"
#define STATE(...) "STATE(" #__VA_ARGS__ ")\n"
#define BLOCKING(...) "BLOCKING(" #__VA_ARGS__ ")\n"
#define NONBLOCKING(...) "NONBLOCKING(" #__VA_ARGS__ ")\n"
#define WHEN(...) "WHEN(" #__VA_ARGS__ ")\n"
#define DO(...) "DO(" #__VA_ARGS__ ")\n"
#define EDGE(...) "EDGE(" #__VA_ARGS__ ")\n"
#endif

#include HD_CONTROLLER_FILE

#undef CONST
#undef ASSUME
#undef THREADS
#undef INT
#undef BOOL
#undef ENUM
#undef STATE
#undef BLOCKING
#undef NONBLOCKING
#undef WHEN
#undef DO
#undef END
#undef EDGE
#undef SPEC
#undef SPEC_FAIR
#undef HD_CC_STORE
#undef HD_CONTROLLER_PASS

#endif
