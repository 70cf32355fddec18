//===- Transfer.cpp - loads and stores ------------------------------------===//

#include "Access.h"
#include "Instructions.h"
#include "LaneLoops.h"
#include "Workgroup.h"

#include "llvm/ADT/STLExtras.h"

#include <functional>

using namespace heddle::ptx;

namespace {

constexpr size_t maxElements = 8; // the maximum number of elements of a vector (.v8)

/// Returns the access of a load or store to all elements of its vector.
AccessTo accessOf(const Instruction &instruction, Use use) {
  unsigned bytes = instruction.bytes * unsigned(instruction.rows.size());
  return {instruction.space, instruction.a, instruction.offset, bytes, use};
}

/// Marks the destination register of an element of a load as undefined in the lanes `lanes`, because the load read
/// unwritten bytes. Records which bytes the first of these lanes read, for error messages. places[i] is the host's
/// address of the bytes that lane i loads.
void noteUndefined(Warp &warp, const Instruction &instruction, size_t element, Lanes lanes, char *const *places) {
  unsigned lane = unsigned(__builtin_ctz(lanes));
  const char *place = places[lane] + element * instruction.bytes;
  const Workgroup &group = warp.group;
  auto isIn = [&](const std::vector<char> &memory) {
    return std::less_equal<>()(memory.data(), place) && std::less<>()(place, memory.data() + memory.size());
  };
  Undefined::Origin origin = {&instruction, lane, instruction.bytes, 0, Space::Global};
  if (isIn(group.shared)) {
    origin.space = Space::Shared;
    origin.place = uint64_t(place - group.shared.data());
  } else if (isIn(warp.local)) {
    origin.space = Space::Local;
    origin.place = uint64_t(place - warp.local.data()) % group.launch.program.localBytes;
  } else {
    for (auto [number, view] : llvm::enumerate(group.launch.views))
      if (const char *begin = view.memory->at(view.offset);
          std::less_equal<>()(begin, place) && std::less<>()(place, begin + view.size)) {
        origin.place = uint64_t(place - begin);
        origin.buffer = number;
      }
  }
  warp.undefined.set(instruction.rows[element], lanes, lanes, origin);
}

/// Loads elements of type E into registers of type R, one element into each register.
template <typename E, typename R> void load(Warp &warp, const Instruction &instruction, Lanes lanes) {
  char *places[warpSize];
  Lanes unwritten[maxElements] = {};
  AccessTo access = accessOf(instruction, Use::Read);
  access.unwritten = unwritten;
  access.elementBytes = sizeof(E);
  if (!access.resolve(warp, instruction, lanes, places))
    return;
  for (size_t i = 0; i < instruction.rows.size(); ++i) {
    if (unwritten[i])
      noteUndefined(warp, instruction, i, unwritten[i], places);
    R *to = warp.row<R>(instruction.rows[i]);
    for (Lanes left = lanes; left; left &= left - 1) {
      unsigned lane = unsigned(__builtin_ctz(left));
      E element;
      std::memcpy(&element, places[lane] + i * sizeof(E), sizeof(E));
      to[lane] = R(element);
    }
  }
}

/// Stores the lowest bytes of registers of type R as elements of type E. An undefined value must not be stored in a
/// buffer (Undefined.h).
template <typename E, typename R> void store(Warp &warp, const Instruction &instruction, Lanes lanes) {
  char *places[warpSize];
  if (instruction.space == Space::Global && !warp.undefined.empty())
    for (Row row : instruction.rows)
      if (!warp.isDefined(row, instruction, lanes))
        return;
  if (!accessOf(instruction, Use::Write).resolve(warp, instruction, lanes, places))
    return;
  for (size_t i = 0; i < instruction.rows.size(); ++i) {
    const R *from = warp.row<R>(instruction.rows[i]);
    for (Lanes left = lanes; left; left &= left - 1) {
      unsigned lane = unsigned(__builtin_ctz(left));
      E element = E(from[lane]);
      std::memcpy(places[lane] + i * sizeof(E), &element, sizeof(E));
      if (!warp.undefined.empty())
        warp.storeUndefined(places[lane] + i * sizeof(E), sizeof(E), instruction.rows[i], instruction, lane);
    }
  }
}

/// Executes ld.param. The row a contains the value of the parameter in all lanes.
void loadParameter(Warp &warp, const Instruction &instruction, Lanes lanes) {
  warp.set(instruction.d, warp.row<uint64_t>(instruction.a), lanes);
}

/// Returns the function for elements of type E and registers of `bytes` bytes (2, 4 or 8), or null if an element is
/// larger than a register.
template <typename E, bool isLoad> Execute pickRegister(unsigned bytes) {
  switch (bytes) {
  case 2:
    if constexpr (sizeof(E) <= 2)
      return isLoad ? load<E, uint16_t> : store<E, uint16_t>;
    break;
  case 4:
    if constexpr (sizeof(E) <= 4)
      return isLoad ? load<E, uint32_t> : store<E, uint32_t>;
    break;
  case 8:
    return isLoad ? load<E, uint64_t> : store<E, uint64_t>;
  }
  return nullptr;
}

template <bool isLoad> Execute pick(Type type, unsigned registerBytes) {
  // A store writes only the lower bytes of a register, so the sign does not matter.
  bool isSigned = type.isSigned() && isLoad;
  switch (type.bytes) {
  case 1:
    return isSigned ? pickRegister<int8_t, isLoad>(registerBytes) : pickRegister<uint8_t, isLoad>(registerBytes);
  case 2:
    return isSigned ? pickRegister<int16_t, isLoad>(registerBytes) : pickRegister<uint16_t, isLoad>(registerBytes);
  case 4:
    return isSigned ? pickRegister<int32_t, isLoad>(registerBytes) : pickRegister<uint32_t, isLoad>(registerBytes);
  case 8:
    return pickRegister<uint64_t, isLoad>(registerBytes);
  }
  return nullptr;
}

} // namespace

/// Decodes operand `index`, the values of a load or store: a register, a number, or a vector of `count` elements. Then
/// selects the function that executes the instruction.
template <bool isLoad> static bool takeValues(Decoder &decoder, size_t index, Type type, unsigned count) {
  Instruction &out = decoder.out;
  const Operand &values = decoder.operand(index);
  llvm::ArrayRef<Operand> parts = decoder.isVector(index) ? llvm::ArrayRef(values.parts) : llvm::ArrayRef(values);
  if (parts.size() != count)
    return decoder.fail("the number of elements is " + llvm::Twine(parts.size()) + ", expected " + llvm::Twine(count));
  std::optional<unsigned> bytes;
  for (const Operand &part : parts) {
    Type registerType = type;
    bool right = isLoad ? decoder.destinationAtLeast(part, type, out.rows.emplace_back(), registerType)
                        : decoder.sourceAtLeast(part, type, out.rows.emplace_back(), registerType);
    if (!right)
      return false;
    // There are no functions for registers of 8 bits (see pickRegister), so give a number or "_" a larger register.
    if (part.kind == Operand::Number || part.name == "_") {
      Type largerType = {Type::Bits, uint8_t(std::max<unsigned>(bytes.value_or(2), type.bytes))};
      out.rows.back() = isLoad ? decoder.layout.sink(largerType) : decoder.layout.constant(part.number, largerType);
      registerType = largerType;
      if (!bytes)
        registerType.bytes = largerType.bytes;
    }
    if (bytes && *bytes != registerType.bytes)
      return decoder.fail("the registers of a vector must have the same size");
    bytes = registerType.bytes;
  }
  out.bytes = type.bytes;
  return decoder.finish(pick<isLoad>(type, *bytes));
}

/// Reads the modifiers of a load or store; `count` receives the number of elements. Ignores modifiers of memory order,
/// because the interpreter executes accesses in order.
static bool takeModifiers(Decoder &decoder, Type &type, unsigned &count) {
  for (llvm::StringRef word : {"volatile", "relaxed", "weak", "cta", "gpu", "sys"})
    decoder.take(word);
  decoder.takeCacheHints();
  count = decoder.takeVector();
  decoder.out.space = decoder.takeSpace();
  std::optional<Type> taken = decoder.takeLastType();
  if (!taken || taken->kind == Type::Predicate)
    return decoder.fail("expected a type");
  type = *taken;
  if (count * type.bytes > 32)
    return decoder.fail("an access of " + llvm::Twine(count * type.bytes) + " bytes is not supported; the limit is 32");
  return decoder.expectOperands(2);
}

bool heddle::ptx::decodeLoad(Decoder &decoder) {
  Type type;
  unsigned count;
  if (!takeModifiers(decoder, type, count))
    return false;
  Instruction &out = decoder.out;
  if (out.space == Space::Param) {
    if (type.bytes != 8 || count != 1)
      return decoder.fail("a parameter can be loaded only as one value of 64 bits");
    return decoder.destination(0, type, out.d) && decoder.parameter(1, out.a) && decoder.finish(loadParameter);
  }
  return decoder.address(1, out.space, out.a, out.offset) && takeValues</*isLoad=*/true>(decoder, 0, type, count);
}

bool heddle::ptx::decodeStore(Decoder &decoder) {
  Type type;
  unsigned count;
  if (!takeModifiers(decoder, type, count))
    return false;
  Instruction &out = decoder.out;
  if (out.space == Space::Param || out.space == Space::Const)
    return decoder.fail("cannot store to .param or .const");
  return decoder.address(0, out.space, out.a, out.offset) && takeValues</*isLoad=*/false>(decoder, 1, type, count);
}
