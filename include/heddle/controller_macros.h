/* controller_macros.h: what controller.h needs of the preprocessor: passes, names, attributes and a loop. */
#ifndef HEDDLE_CONTROLLER_MACROS_H
#define HEDDLE_CONTROLLER_MACROS_H

#include <stdint.h>

#ifdef __cplusplus
#define HD_CC_ASSERT(condition, text) static_assert(condition, text)
#else
#define HD_CC_ASSERT(condition, text) _Static_assert(condition, text)
#endif
#define HD_CC_INLINE __attribute__((always_inline))
#define HD_CC_UNUSED __attribute__((unused))

/* What the controller file is read for; the values of HD_CONTROLLER_PASS. */
#define HD_CC_PASS_VALUES 1
#define HD_CC_PASS_ACTION_NAMES 2
#define HD_CC_PASS_STATE_NAMES 3
#define HD_CC_PASS_MEMBERS 4
#define HD_CC_PASS_PARAMETERS 5
#define HD_CC_PASS_ARGUMENTS 6
#define HD_CC_PASS_ASSUMPTIONS 7
#define HD_CC_PASS_INITIAL 8
#define HD_CC_PASS_LOAD 9
#define HD_CC_PASS_COMMANDS 10
#define HD_CC_PASS_STORE 11
#define HD_CC_PASS_PLAIN 12
#define HD_CC_PASS_NEXT 13
#define HD_CC_PASS_EDGES 14
#define HD_CC_PASS_ACTION_TEXTS 15
#define HD_CC_PASS_STATE_TEXTS 16
#define HD_CC_PASS_PUBLIC 17
#define HD_CC_PASS_TEXT 18 /* for generated code: is the file what it was made from? */

/* HD_CC_NAME(_x): rw_x, for the program. HD_CC_INNER(_x): hd_rw_x, for controller.h. */
#define HD_CC_PASTE_(a, b) a##b
#define HD_CC_PASTE(a, b) HD_CC_PASTE_(a, b)
#define HD_CC_NAME(tail) HD_CC_PASTE(HD_CONTROLLER, tail)
#define HD_CC_INNER(tail) HD_CC_PASTE(hd_, HD_CC_PASTE(HD_CONTROLLER, tail))
#define HD_CC_TEXT_(a) #a
#define HD_CC_TEXT(a) HD_CC_TEXT_(a)
#define HD_CC_OPEN(...) __VA_ARGS__
#define HD_CC_PREFIXED(name, value) HD_CC_PREFIXED_(name, value)
#define HD_CC_PREFIXED_(name, value) name##_##value,

/* HD_CC_EACH(m, name, a, b, ...) is m(name, a) m(name, b) ... for one to 64 arguments. The preprocessor has no loop:
 * this is it, written out. */
/* clang-format off */
#define HD_CC_PICK(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, \
  a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, \
  a43, a44, a45, a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60, a61, a62, a63, a64, \
  n, ...) n
#define HD_CC_COUNT(...) HD_CC_PICK(__VA_ARGS__, 64, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, \
  49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, \
  22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define HD_CC_JOIN_(a, b) a##b
#define HD_CC_JOIN(a, b) HD_CC_JOIN_(a, b)
#define HD_CC_EACH(m, name, ...) HD_CC_JOIN(HD_CC_EACH_, HD_CC_COUNT(__VA_ARGS__))(m, name, __VA_ARGS__)
#define HD_CC_EACH_1(m, name, a) m(name, a)
#define HD_CC_EACH_2(m, name, a, ...) m(name, a) HD_CC_EACH_1(m, name, __VA_ARGS__)
#define HD_CC_EACH_3(m, name, a, ...) m(name, a) HD_CC_EACH_2(m, name, __VA_ARGS__)
#define HD_CC_EACH_4(m, name, a, ...) m(name, a) HD_CC_EACH_3(m, name, __VA_ARGS__)
#define HD_CC_EACH_5(m, name, a, ...) m(name, a) HD_CC_EACH_4(m, name, __VA_ARGS__)
#define HD_CC_EACH_6(m, name, a, ...) m(name, a) HD_CC_EACH_5(m, name, __VA_ARGS__)
#define HD_CC_EACH_7(m, name, a, ...) m(name, a) HD_CC_EACH_6(m, name, __VA_ARGS__)
#define HD_CC_EACH_8(m, name, a, ...) m(name, a) HD_CC_EACH_7(m, name, __VA_ARGS__)
#define HD_CC_EACH_9(m, name, a, ...) m(name, a) HD_CC_EACH_8(m, name, __VA_ARGS__)
#define HD_CC_EACH_10(m, name, a, ...) m(name, a) HD_CC_EACH_9(m, name, __VA_ARGS__)
#define HD_CC_EACH_11(m, name, a, ...) m(name, a) HD_CC_EACH_10(m, name, __VA_ARGS__)
#define HD_CC_EACH_12(m, name, a, ...) m(name, a) HD_CC_EACH_11(m, name, __VA_ARGS__)
#define HD_CC_EACH_13(m, name, a, ...) m(name, a) HD_CC_EACH_12(m, name, __VA_ARGS__)
#define HD_CC_EACH_14(m, name, a, ...) m(name, a) HD_CC_EACH_13(m, name, __VA_ARGS__)
#define HD_CC_EACH_15(m, name, a, ...) m(name, a) HD_CC_EACH_14(m, name, __VA_ARGS__)
#define HD_CC_EACH_16(m, name, a, ...) m(name, a) HD_CC_EACH_15(m, name, __VA_ARGS__)
#define HD_CC_EACH_17(m, name, a, ...) m(name, a) HD_CC_EACH_16(m, name, __VA_ARGS__)
#define HD_CC_EACH_18(m, name, a, ...) m(name, a) HD_CC_EACH_17(m, name, __VA_ARGS__)
#define HD_CC_EACH_19(m, name, a, ...) m(name, a) HD_CC_EACH_18(m, name, __VA_ARGS__)
#define HD_CC_EACH_20(m, name, a, ...) m(name, a) HD_CC_EACH_19(m, name, __VA_ARGS__)
#define HD_CC_EACH_21(m, name, a, ...) m(name, a) HD_CC_EACH_20(m, name, __VA_ARGS__)
#define HD_CC_EACH_22(m, name, a, ...) m(name, a) HD_CC_EACH_21(m, name, __VA_ARGS__)
#define HD_CC_EACH_23(m, name, a, ...) m(name, a) HD_CC_EACH_22(m, name, __VA_ARGS__)
#define HD_CC_EACH_24(m, name, a, ...) m(name, a) HD_CC_EACH_23(m, name, __VA_ARGS__)
#define HD_CC_EACH_25(m, name, a, ...) m(name, a) HD_CC_EACH_24(m, name, __VA_ARGS__)
#define HD_CC_EACH_26(m, name, a, ...) m(name, a) HD_CC_EACH_25(m, name, __VA_ARGS__)
#define HD_CC_EACH_27(m, name, a, ...) m(name, a) HD_CC_EACH_26(m, name, __VA_ARGS__)
#define HD_CC_EACH_28(m, name, a, ...) m(name, a) HD_CC_EACH_27(m, name, __VA_ARGS__)
#define HD_CC_EACH_29(m, name, a, ...) m(name, a) HD_CC_EACH_28(m, name, __VA_ARGS__)
#define HD_CC_EACH_30(m, name, a, ...) m(name, a) HD_CC_EACH_29(m, name, __VA_ARGS__)
#define HD_CC_EACH_31(m, name, a, ...) m(name, a) HD_CC_EACH_30(m, name, __VA_ARGS__)
#define HD_CC_EACH_32(m, name, a, ...) m(name, a) HD_CC_EACH_31(m, name, __VA_ARGS__)
#define HD_CC_EACH_33(m, name, a, ...) m(name, a) HD_CC_EACH_32(m, name, __VA_ARGS__)
#define HD_CC_EACH_34(m, name, a, ...) m(name, a) HD_CC_EACH_33(m, name, __VA_ARGS__)
#define HD_CC_EACH_35(m, name, a, ...) m(name, a) HD_CC_EACH_34(m, name, __VA_ARGS__)
#define HD_CC_EACH_36(m, name, a, ...) m(name, a) HD_CC_EACH_35(m, name, __VA_ARGS__)
#define HD_CC_EACH_37(m, name, a, ...) m(name, a) HD_CC_EACH_36(m, name, __VA_ARGS__)
#define HD_CC_EACH_38(m, name, a, ...) m(name, a) HD_CC_EACH_37(m, name, __VA_ARGS__)
#define HD_CC_EACH_39(m, name, a, ...) m(name, a) HD_CC_EACH_38(m, name, __VA_ARGS__)
#define HD_CC_EACH_40(m, name, a, ...) m(name, a) HD_CC_EACH_39(m, name, __VA_ARGS__)
#define HD_CC_EACH_41(m, name, a, ...) m(name, a) HD_CC_EACH_40(m, name, __VA_ARGS__)
#define HD_CC_EACH_42(m, name, a, ...) m(name, a) HD_CC_EACH_41(m, name, __VA_ARGS__)
#define HD_CC_EACH_43(m, name, a, ...) m(name, a) HD_CC_EACH_42(m, name, __VA_ARGS__)
#define HD_CC_EACH_44(m, name, a, ...) m(name, a) HD_CC_EACH_43(m, name, __VA_ARGS__)
#define HD_CC_EACH_45(m, name, a, ...) m(name, a) HD_CC_EACH_44(m, name, __VA_ARGS__)
#define HD_CC_EACH_46(m, name, a, ...) m(name, a) HD_CC_EACH_45(m, name, __VA_ARGS__)
#define HD_CC_EACH_47(m, name, a, ...) m(name, a) HD_CC_EACH_46(m, name, __VA_ARGS__)
#define HD_CC_EACH_48(m, name, a, ...) m(name, a) HD_CC_EACH_47(m, name, __VA_ARGS__)
#define HD_CC_EACH_49(m, name, a, ...) m(name, a) HD_CC_EACH_48(m, name, __VA_ARGS__)
#define HD_CC_EACH_50(m, name, a, ...) m(name, a) HD_CC_EACH_49(m, name, __VA_ARGS__)
#define HD_CC_EACH_51(m, name, a, ...) m(name, a) HD_CC_EACH_50(m, name, __VA_ARGS__)
#define HD_CC_EACH_52(m, name, a, ...) m(name, a) HD_CC_EACH_51(m, name, __VA_ARGS__)
#define HD_CC_EACH_53(m, name, a, ...) m(name, a) HD_CC_EACH_52(m, name, __VA_ARGS__)
#define HD_CC_EACH_54(m, name, a, ...) m(name, a) HD_CC_EACH_53(m, name, __VA_ARGS__)
#define HD_CC_EACH_55(m, name, a, ...) m(name, a) HD_CC_EACH_54(m, name, __VA_ARGS__)
#define HD_CC_EACH_56(m, name, a, ...) m(name, a) HD_CC_EACH_55(m, name, __VA_ARGS__)
#define HD_CC_EACH_57(m, name, a, ...) m(name, a) HD_CC_EACH_56(m, name, __VA_ARGS__)
#define HD_CC_EACH_58(m, name, a, ...) m(name, a) HD_CC_EACH_57(m, name, __VA_ARGS__)
#define HD_CC_EACH_59(m, name, a, ...) m(name, a) HD_CC_EACH_58(m, name, __VA_ARGS__)
#define HD_CC_EACH_60(m, name, a, ...) m(name, a) HD_CC_EACH_59(m, name, __VA_ARGS__)
#define HD_CC_EACH_61(m, name, a, ...) m(name, a) HD_CC_EACH_60(m, name, __VA_ARGS__)
#define HD_CC_EACH_62(m, name, a, ...) m(name, a) HD_CC_EACH_61(m, name, __VA_ARGS__)
#define HD_CC_EACH_63(m, name, a, ...) m(name, a) HD_CC_EACH_62(m, name, __VA_ARGS__)
#define HD_CC_EACH_64(m, name, a, ...) m(name, a) HD_CC_EACH_63(m, name, __VA_ARGS__)
/* clang-format on */

#endif
