//===- AsyncCopies.cpp - async copies to shared memory --------------------===//

#include "Access.h"
#include "Instructions.h"
#include "Workgroup.h"

using namespace llvm;
using namespace heddle::ptx;

void AsyncCopies::clear() {
  copies.clear();
  committed = {};
}

void AsyncCopies::begin(Copy copy) {
  copy.group = committed[copy.lane];
  copies.push_back(copy);
}

void AsyncCopies::commit(Lanes lanes) {
  for (; lanes; lanes &= lanes - 1)
    ++committed[__builtin_ctz(lanes)];
}

const AsyncCopies::Copy *AsyncCopies::find(uint64_t place) const {
  for (const Copy &copy : copies)
    if (place >= copy.to && place < copy.to + copy.bytes)
      return &copy;
  return nullptr;
}

/// Executes cp.async. Operand d is the address in shared memory, plus `offset`. Operand a is the address in global
/// memory, plus `target` as a signed number. Operand b, if there is one, is the number of bytes that are read; the rest
/// of the destination is filled with zeros.
static void copy(Warp &warp, const Instruction &instruction, Lanes lanes) {
  char *to[warpSize], *from[warpSize];
  AccessTo target{Space::Shared, instruction.d, instruction.offset, instruction.bytes, Use::Write};
  if (!target.resolve(warp, instruction, lanes, to))
    return;
  uint32_t sizes[warpSize];
  Lanes reading = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    sizes[lane] = instruction.b == noRow ? instruction.bytes : warp.row<uint32_t>(instruction.b)[lane];
    if (!(lanes >> lane & 1))
      continue;
    if (sizes[lane] > instruction.bytes)
      return warp.fail(instruction, 1u << lane,
                       "the source has " + Twine(sizes[lane]) + " bytes, more than the " +
                           Twine(unsigned(instruction.bytes)) + " bytes of the copy");
    reading |= Lanes(sizes[lane] != 0) << lane;
  }
  // The source may be shorter than the copy if operand b is smaller, so check only the bytes that each lane reads.
  AccessTo source{Space::Global, instruction.a, int64_t(int32_t(instruction.target)), instruction.bytes, Use::Read};
  source.lengths = sizes;
  if (reading && !source.resolve(warp, instruction, reading, from))
    return;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    AsyncCopies::Copy begun{lane, uint64_t(to[lane] - warp.group.shared.data()), instruction.bytes, &instruction, 0,
                            {}};
    if (sizes[lane])
      std::memcpy(begun.contents, from[lane], sizes[lane]);
    warp.group.sharedShadow.setPending(begun.to, begun.bytes);
    warp.copies.begin(begun);
  }
}

static void commit(Warp &warp, const Instruction &, Lanes lanes) { warp.copies.commit(lanes); }

/// Executes cp.async.wait_group and cp.async.wait_all. `offset` is the number of groups that may remain pending, or
/// negative for wait_all. Writes the contents of each completed copy to shared memory.
static void wait(Warp &warp, const Instruction &instruction, Lanes lanes) {
  bool all = instruction.offset < 0;
  warp.copies.wait(lanes, all ? 0 : unsigned(instruction.offset), all, [&](const AsyncCopies::Copy &copy) {
    std::memcpy(warp.group.shared.data() + copy.to, copy.contents, copy.bytes);
    warp.group.sharedShadow.set(copy.to, copy.bytes, warp.group.clock.stamp(copy.lane));
  });
}

/// Decodes `cp.async.ca.shared.global [to], [from], 16;`, `.commit_group`, `.wait_group N` and `.wait_all`.
bool heddle::ptx::decodeAsyncCopy(Decoder &decoder) {
  if (!decoder.take("async"))
    return decoder.fail("only cp.async is supported");
  if (decoder.take("commit_group"))
    return decoder.expectOperands(0) && decoder.finish(commit);
  if (decoder.take("wait_all")) {
    decoder.out.offset = -1;
    return decoder.expectOperands(0) && decoder.finish(wait);
  }
  if (decoder.take("wait_group"))
    return decoder.expectOperands(1) && decoder.immediate(0, decoder.out.offset, 0, 1 << 20) && decoder.finish(wait);
  bool bypass = decoder.take("cg");
  if (!bypass && !decoder.take("ca"))
    return decoder.fail("expected .ca or .cg");
  if (!decoder.take("shared") && !decoder.take("shared::cta"))
    return decoder.fail("expected .shared");
  if (!decoder.take("global"))
    return decoder.fail("expected .global");
  decoder.takeCacheHints();
  int64_t bytes, from;
  if (!decoder.expectOperands(3, 4) || !decoder.immediate(2, bytes, 4, 16))
    return false;
  if (bytes != 16 && (bypass || (bytes != 4 && bytes != 8)))
    return decoder.fail("the size of the copy is " + Twine(bytes) + " bytes, expected " +
                        (bypass ? "16" : "4, 8 or 16"));
  decoder.out.bytes = uint8_t(bytes);
  if (!decoder.address(0, Space::Shared, decoder.out.d, decoder.out.offset) ||
      !decoder.address(1, Space::Global, decoder.out.a, from))
    return false;
  if (from < INT32_MIN || from > INT32_MAX)
    return decoder.fail("the offset " + Twine(from) + " does not fit into 32 bits");
  decoder.out.target = uint32_t(from);
  decoder.out.flow = Instruction::RequiresDefined;
  if (decoder.operandCount() == 4 && !decoder.source(3, {Type::Unsigned, 4}, decoder.out.b))
    return false;
  return decoder.finish(copy);
}
