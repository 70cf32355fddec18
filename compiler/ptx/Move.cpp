//===- Move.cpp - moves between registers ---------------------------------===//

#include "GlobalMemory.h"
#include "Instructions.h"
#include "LaneLoops.h"

using namespace heddle::ptx;

namespace {

template <typename T> void move(Warp &warp, const Instruction &instruction, Lanes lanes) {
  if (lanes == allLanes) { // d and a may be the same row, which memcpy does not allow
    std::memmove(warp.row<T>(instruction.d), warp.row<T>(instruction.a), sizeof(T) * warpSize);
    return;
  }
  warp.set(instruction.d, warp.row<T>(instruction.a), lanes);
}

void movePredicate(Warp &warp, const Instruction &instruction, Lanes lanes) {
  setPredicate(warp, instruction.d, warp.predicate(instruction.a), lanes);
}

/// Splits the value of each lane of a into parts of `instruction.bytes` bytes. Part i becomes the value of the row
/// `instruction.rows[i]` in this lane.
void unpack(Warp &warp, const Instruction &instruction, Lanes lanes) {
  size_t part = instruction.bytes, whole = part * instruction.rows.size();
  char copy[warpSize * 8]; // needed because one of the results may be the row a
  std::memcpy(copy, warp.row<char>(instruction.a), whole * warpSize);
  for (size_t i = 0; i < instruction.rows.size(); ++i)
    for (unsigned lane = 0; lane < warpSize; ++lane)
      if (lanes >> lane & 1)
        std::memcpy(warp.row<char>(instruction.rows[i]) + lane * part, copy + lane * whole + i * part, part);
}

/// The inverse of `unpack`: concatenates the parts in `instruction.rows` to the value of d.
void pack(Warp &warp, const Instruction &instruction, Lanes lanes) {
  size_t part = instruction.bytes, whole = part * instruction.rows.size();
  char copy[warpSize * 8];
  for (size_t i = 0; i < instruction.rows.size(); ++i)
    for (unsigned lane = 0; lane < warpSize; ++lane)
      std::memcpy(copy + lane * whole + i * part, warp.row<char>(instruction.rows[i]) + lane * part, part);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    if (lanes >> lane & 1)
      std::memcpy(warp.row<char>(instruction.d) + lane * whole, copy + lane * whole, whole);
}

/// Executes d = a + offset. This is how cvta converts an address in shared or local memory to a generic address, or
/// back.
void displace(Warp &warp, const Instruction &instruction, Lanes lanes) {
  uint64_t results[warpSize];
  const uint64_t *a = warp.row<uint64_t>(instruction.a);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    results[lane] = a[lane] + uint64_t(instruction.offset);
  warp.set(instruction.d, results, lanes);
}

} // namespace

/// Decodes `mov.b32 {%rs1, %rs2}, %r1;` and `mov.b32 %r1, {%rs1, %rs2};`.
static bool decodeVectorMove(Decoder &decoder, Type type, bool isUnpack) {
  Instruction &out = decoder.out;
  const Operand &vector = decoder.operand(isUnpack ? 0 : 1);
  size_t parts = vector.parts.size();
  if ((parts != 2 && parts != 4) || type.bytes / parts < 2)
    return decoder.fail("cannot split " + llvm::Twine(8 * type.bytes) + " bits into " + llvm::Twine(parts) +
                        " registers: expected 2 or 4 registers of at least 16 bits");
  Type part = {Type::Bits, uint8_t(type.bytes / parts)};
  out.bytes = part.bytes;
  for (const Operand &operand : vector.parts)
    if (!(isUnpack ? decoder.destination(operand, part, out.rows.emplace_back())
                   : decoder.source(operand, part, out.rows.emplace_back())))
      return false;
  if (isUnpack)
    return decoder.source(1, type, out.a) && decoder.finish(unpack);
  return decoder.destination(0, type, out.d) && decoder.finish(pack);
}

bool heddle::ptx::decodeMove(Decoder &decoder) {
  Instruction &out = decoder.out;
  std::optional<Type> type = decoder.takeLastType();
  if (!type)
    return decoder.fail("expected a type");
  if (!decoder.expectOperands(2))
    return false;
  if (decoder.isVector(0) || decoder.isVector(1))
    return decodeVectorMove(decoder, *type, decoder.isVector(0));
  if (!decoder.destination(0, *type, out.d) || !decoder.source(1, *type, out.a))
    return false;
  if (type->kind == Type::Predicate)
    return decoder.finish(movePredicate);
  return decoder.finish(type->bytes == 2   ? move<uint16_t>
                        : type->bytes == 4 ? move<uint32_t>
                        : type->bytes == 8 ? move<uint64_t>
                                           : nullptr);
}

/// Decodes `cvta.shared.u64 %rd1, %rd2;` (to a generic address) and `cvta.to.shared.u64 %rd1, %rd2;` (from one).
bool heddle::ptx::decodeToAddress(Decoder &decoder) {
  Instruction &out = decoder.out;
  bool to = decoder.take("to");
  Space space = decoder.takeSpace();
  std::optional<Type> type = decoder.takeLastType();
  if (!type || type->bytes != 8 || !type->isInteger())
    return decoder.fail("expected a type of 64 bits for an address");
  if (space == Space::Param || space == Space::Generic)
    return decoder.fail("expected .global, .shared, .local or .const");
  if (!decoder.expectOperands(2) || !decoder.destination(0, *type, out.d) || !decoder.source(1, *type, out.a))
    return false;
  int64_t window = space == Space::Shared ? int64_t(sharedWindow) : space == Space::Local ? int64_t(localWindow) : 0;
  out.offset = to ? -window : window;
  return decoder.finish(window ? displace : move<uint64_t>);
}
