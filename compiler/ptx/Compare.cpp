//===- Compare.cpp - comparisons and selections ---------------------------===//

#include "Instructions.h"
#include "LaneLoops.h"
#include "Rounding.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace heddle::ptx;

namespace {

enum class Comparison { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, Ordered, Unordered };

/// A comparison. If one of the operands is NaN, the result is `unordered`, except for Ordered and Unordered.
template <Comparison comparison, bool unordered> struct Compare {
  template <typename T> bool operator()(T a, T b) const {
    bool nan = a != a || b != b;
    switch (comparison) {
    case Comparison::Equal:
      return unordered ? nan || a == b : a == b;
    case Comparison::NotEqual:
      return unordered ? a != b : !nan && a != b;
    case Comparison::Less:
      return unordered ? !(a >= b) : a < b;
    case Comparison::LessEqual:
      return unordered ? !(a > b) : a <= b;
    case Comparison::Greater:
      return unordered ? !(a <= b) : a > b;
    case Comparison::GreaterEqual:
      return unordered ? !(a < b) : a >= b;
    case Comparison::Ordered:
      return !nan;
    case Comparison::Unordered:
      return nan;
    }
    return false;
  }
};

template <typename T> T same(T value) { return value; }

/// Executes setp: d = a op b, e = not (a op b). `instruction.offset` is the operation that combines both results with
/// the predicate c: 0 for none, 1 for "and", 2 for "or", 3 for "xor". `instruction.target` is 1 if c is negated.
/// `widen` returns the number that the bits of an operand represent.
template <typename T, typename Op, auto widen = same<T>>
void compare(Warp &warp, const Instruction &instruction, Lanes lanes) {
  uint8_t results[warpSize];
  const T *a = warp.row<T>(instruction.a), *b = warp.row<T>(instruction.b);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    results[lane] = Op()(widen(a[lane]), widen(b[lane]));
  Lanes yes = packLanes(results), no = ~yes;
  if (instruction.offset) {
    Lanes other = warp.predicate(instruction.c) ^ (instruction.target ? allLanes : 0);
    yes = instruction.offset == 1 ? yes & other : instruction.offset == 2 ? yes | other : yes ^ other;
    no = instruction.offset == 1 ? no & other : instruction.offset == 2 ? no | other : no ^ other;
  }
  setPredicate(warp, instruction.d, yes, lanes);
  if (instruction.e != noRow)
    setPredicate(warp, instruction.e, no, lanes);
}

/// Returns the function that executes a comparison of operands of this type, or null if this interpreter has none.
template <Comparison comparison, bool unordered> Execute pick(Type type) {
  using Op = Compare<comparison, unordered>;
  if (type.is(Type::Float, 4))
    return compare<float, Op>;
  if (type.is(Type::Float, 8))
    return compare<double, Op>;
  if (type.is(Type::Float, 2))
    return compare<uint16_t, Op, fromHalf>;
  if (type.is(Type::BFloat, 2))
    return compare<uint16_t, Op, fromBFloat>;
  if (unordered || comparison >= Comparison::Ordered || !type.isInteger() || type.pair)
    return nullptr;
  bool isSigned = type.isSigned();
  switch (type.bytes) {
  case 2:
    return isSigned ? compare<int16_t, Op> : compare<uint16_t, Op>;
  case 4:
    return isSigned ? compare<int32_t, Op> : compare<uint32_t, Op>;
  case 8:
    return isSigned ? compare<int64_t, Op> : compare<uint64_t, Op>;
  }
  return nullptr;
}

/// A modifier of setp, such as "ltu", and its function for each type. A final "u" means that the result is true if an
/// operand is NaN.
struct Name {
  llvm::StringLiteral name;
  Execute (*pick)(Type);
};
constexpr Name names[] = {
    {"eq", pick<Comparison::Equal, false>},    {"ne", pick<Comparison::NotEqual, false>},
    {"lt", pick<Comparison::Less, false>},     {"le", pick<Comparison::LessEqual, false>},
    {"gt", pick<Comparison::Greater, false>},  {"ge", pick<Comparison::GreaterEqual, false>},
    {"lo", pick<Comparison::Less, false>},     {"ls", pick<Comparison::LessEqual, false>},
    {"hi", pick<Comparison::Greater, false>},  {"hs", pick<Comparison::GreaterEqual, false>},
    {"equ", pick<Comparison::Equal, true>},    {"neu", pick<Comparison::NotEqual, true>},
    {"ltu", pick<Comparison::Less, true>},     {"leu", pick<Comparison::LessEqual, true>},
    {"gtu", pick<Comparison::Greater, true>},  {"geu", pick<Comparison::GreaterEqual, true>},
    {"num", pick<Comparison::Ordered, false>}, {"nan", pick<Comparison::Unordered, false>},
};

/// Executes selp: d is a in lanes where the predicate c is true, and b in other lanes.
template <typename T> void select(Warp &warp, const Instruction &instruction, Lanes lanes) {
  T results[warpSize];
  const T *a = warp.row<T>(instruction.a), *b = warp.row<T>(instruction.b);
  Lanes which = warp.predicate(instruction.c);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    results[lane] = which & (Lanes(1) << lane) ? a[lane] : b[lane];
  warp.set(instruction.d, results, lanes);
}

enum class Test { Finite, Infinite, Number, NotANumber, Normal, Subnormal };

/// Executes testp. `instruction.offset` is a value of Test.
template <typename T> void test(Warp &warp, const Instruction &instruction, Lanes lanes) {
  const T *a = warp.row<T>(instruction.a);
  Lanes results = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    bool is = false;
    switch (Test(instruction.offset)) {
    case Test::Finite:
      is = std::isfinite(a[lane]);
      break;
    case Test::Infinite:
      is = std::isinf(a[lane]);
      break;
    case Test::Number:
      is = !std::isnan(a[lane]);
      break;
    case Test::NotANumber:
      is = std::isnan(a[lane]);
      break;
    case Test::Normal:
      is = std::isnormal(a[lane]);
      break;
    case Test::Subnormal:
      is = std::fpclassify(a[lane]) == FP_SUBNORMAL;
      break;
    }
    results |= Lanes(is) << lane;
  }
  setPredicate(warp, instruction.d, results, lanes);
}

} // namespace

/// Decodes `setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3;`, in which `|%p2` may be missing, and `.and` and `!%p3` may both
/// be missing.
bool heddle::ptx::decodeCompare(Decoder &decoder) {
  Instruction &out = decoder.out;
  std::optional<Type> type = decoder.takeLastType();
  if (!type)
    return decoder.fail("expected a type");
  const Name *comparison = nullptr;
  for (const Name &name : names)
    if (!comparison && decoder.take(name.name))
      comparison = &name;
  if (!comparison)
    return decoder.fail("expected a comparison such as .lt");
  constexpr Type predicate = {Type::Predicate, 0};
  out.offset = decoder.take("and") ? 1 : decoder.take("or") ? 2 : decoder.take("xor") ? 3 : 0;
  size_t usual = out.offset ? 4 : 3;
  if (!decoder.expectOperands(usual, usual + 1))
    return false;
  size_t next = 1;
  if (!decoder.destination(0, predicate, out.d))
    return false;
  if (decoder.operandCount() > usual && !decoder.destination(next++, predicate, out.e))
    return false;
  if (!decoder.source(next, *type, out.a) || !decoder.source(next + 1, *type, out.b))
    return false;
  if (out.offset) {
    Operand other = decoder.operand(next + 2);
    out.target = other.negated;
    other.negated = false;
    if (!decoder.source(other, predicate, out.c))
      return false;
  }
  return decoder.finish(comparison->pick(*type));
}

bool heddle::ptx::decodeSelect(Decoder &decoder) {
  Instruction &out = decoder.out;
  std::optional<Type> type = decoder.takeLastType();
  if (!type)
    return decoder.fail("expected a type");
  if (!decoder.expectOperands(4) || !decoder.destination(0, *type, out.d) || !decoder.source(1, *type, out.a) ||
      !decoder.source(2, *type, out.b) || !decoder.source(3, {Type::Predicate, 0}, out.c))
    return false;
  out.flow = Instruction::FromChosen;
  return decoder.finish(type->bytes == 2   ? select<uint16_t>
                        : type->bytes == 4 ? select<uint32_t>
                        : type->bytes == 8 ? select<uint64_t>
                                           : nullptr);
}

bool heddle::ptx::decodeTest(Decoder &decoder) {
  Instruction &out = decoder.out;
  std::optional<Type> type = decoder.takeLastType();
  static constexpr std::pair<llvm::StringLiteral, Test> tests[] = {
      {"finite", Test::Finite},         {"infinite", Test::Infinite}, {"number", Test::Number},
      {"notanumber", Test::NotANumber}, {"normal", Test::Normal},     {"subnormal", Test::Subnormal}};
  bool found = false;
  for (auto [name, test] : tests)
    if (!found && decoder.take(name)) {
      out.offset = int64_t(test);
      found = true;
    }
  if (!found || !type)
    return decoder.fail("expected a test such as .finite, and a type");
  if (!decoder.expectOperands(2) || !decoder.destination(0, {Type::Predicate, 0}, out.d) ||
      !decoder.source(1, *type, out.a))
    return false;
  return decoder.finish(type->is(Type::Float, 4)   ? test<float>
                        : type->is(Type::Float, 8) ? test<double>
                                                   : Execute(nullptr));
}
