//===- Atomic.cpp - atomic operations on memory ---------------------------===//

#include "Access.h"
#include "Instructions.h"
#include "LaneLoops.h"

using namespace heddle::ptx;

namespace {

enum class Update { Add, Minimum, Maximum, And, Or, ExclusiveOr, Exchange, CompareAndSwap };

/// Returns the new value in memory. `value` is the operand b; `swap` is the operand c of compare-and-swap, which stores
/// `swap` if the old value equals `value`.
template <typename T> T update(Update op, T old, T value, T swap) {
  if constexpr (std::is_integral_v<T>)
    switch (op) {
    case Update::And:
      return old & value;
    case Update::Or:
      return old | value;
    case Update::ExclusiveOr:
      return old ^ value;
    case Update::Add:
      return T(std::make_unsigned_t<T>(old) + std::make_unsigned_t<T>(value));
    default:
      break;
    }
  switch (op) {
  case Update::Add:
    return old + value;
  case Update::Minimum:
    return value < old ? value : old;
  case Update::Maximum:
    return value > old ? value : old;
  case Update::CompareAndSwap:
    return old == value ? swap : old;
  default:
    return value;
  }
}

/// Executes an atomic operation, one lane after another. The register d, if there is one, receives the previous value
/// in memory.
template <typename T> void atomic(Warp &warp, const Instruction &instruction, Lanes lanes) {
  char *places[warpSize];
  AccessTo access{instruction.space, instruction.a, instruction.offset, sizeof(T), Use::Update};
  if (!access.resolve(warp, instruction, lanes, places))
    return;
  T before[warpSize];
  const T *values = warp.row<T>(instruction.b), *swaps = instruction.c == noRow ? values : warp.row<T>(instruction.c);
  for (Lanes left = lanes; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    std::memcpy(&before[lane], places[lane], sizeof(T));
    T after = update(Update(instruction.target), before[lane], values[lane], swaps[lane]);
    std::memcpy(places[lane], &after, sizeof(T));
  }
  if (instruction.d != noRow)
    warp.set(instruction.d, before, lanes);
}

/// Returns the function that executes an operation on numbers of this type, or null if this interpreter has none.
Execute pick(Type type, Update op) {
  bool logic = op >= Update::And, number = op <= Update::Maximum;
  if (type.isFloat() ? op != Update::Add : type.kind == Type::Bits ? number : logic)
    return nullptr;
  if (type.is(Type::Float, 4))
    return atomic<float>;
  if (type.is(Type::Float, 8))
    return atomic<double>;
  if (type.bytes == 4)
    return type.isSigned() ? atomic<int32_t> : atomic<uint32_t>;
  if (type.bytes == 8)
    return type.isSigned() ? atomic<int64_t> : atomic<uint64_t>;
  return nullptr;
}

} // namespace

/// Decodes `atom.global.add.f32 %f1, [%rd1], %f2;` and `red.shared.max.s32 [%r1], %r2;`.
bool heddle::ptx::decodeAtomic(Decoder &decoder) {
  Instruction &out = decoder.out;
  bool returns = decoder.statement.opcode.starts_with("atom");
  for (llvm::StringRef word : {"relaxed", "acquire", "release", "acq_rel", "cta", "gpu", "sys"})
    decoder.take(word);
  out.space = decoder.takeSpace();
  std::optional<Type> type = decoder.takeLastType();
  static constexpr std::pair<llvm::StringLiteral, Update> updates[] = {
      {"add", Update::Add}, {"min", Update::Minimum},     {"max", Update::Maximum},   {"and", Update::And},
      {"or", Update::Or},   {"xor", Update::ExclusiveOr}, {"exch", Update::Exchange}, {"cas", Update::CompareAndSwap}};
  std::optional<Update> op;
  for (auto [name, update] : updates)
    if (!op && decoder.take(name))
      op = update;
  if (!op || !type || type->pair || type->kind == Type::Predicate || out.space == Space::Param ||
      out.space == Space::Const || out.space == Space::Local)
    return decoder.fail("this atomic operation is not supported");
  bool swaps = op == Update::CompareAndSwap;
  if (!returns && (swaps || op == Update::Exchange))
    return decoder.fail("this atomic operation is not supported");
  size_t at = returns ? 1 : 0;
  if (!decoder.expectOperands(at + 2 + swaps) || (returns && !decoder.destination(0, *type, out.d)) ||
      !decoder.address(at, out.space, out.a, out.offset) || !decoder.source(at + 1, *type, out.b) ||
      (swaps && !decoder.source(at + 2, *type, out.c)))
    return false;
  out.target = uint32_t(*op);
  out.flow = Instruction::RequiresDefined;
  return decoder.finish(pick(*type, *op));
}
