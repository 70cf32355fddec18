//===- Flow.cpp - branches, barriers and exits ----------------------------===//

#include "Instructions.h"
#include "Workgroup.h"

using namespace heddle::ptx;

bool heddle::ptx::decodeBranch(Decoder &decoder) {
  decoder.take("uni");
  return decoder.expectOperands(1) && decoder.target(0, decoder.out.target) && decoder.finish(Instruction::Branch);
}

bool heddle::ptx::decodeExit(Decoder &decoder) {
  decoder.take("uni");
  return decoder.expectOperands(0) && decoder.finish(Instruction::Exit);
}

/// Executes bar.warp.sync, whose operand a is the mask of the lanes that synchronise. The instruction orders accesses
/// to memory: those that these lanes make before the instruction precede those that they make after the instruction.
static void synchronize(Warp &warp, const Instruction &instruction, Lanes lanes) {
  const uint32_t *members = warp.row<uint32_t>(instruction.a);
  for (Lanes left = lanes; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    if ((members[lane] & warp.living()) != lanes)
      return warp.fail(instruction, 1u << lane,
                       "the lanes that execute the instruction differ from the lanes in its mask");
  }
  // A segment of the clock is the time between two synchronisations of the whole warp. So begin a new segment only if
  // all lanes that have not exited synchronise.
  Clock &clock = warp.group.clock;
  if (lanes == warp.living())
    clock.synchronizeWarp();
  if (clock.isExhausted())
    warp.fail(instruction, lanes,
              "the launch synchronizes too often for this interpreter: the time stamps of its accesses overflow");
}

/// Decodes `bar.sync 0;`, `bar.sync 0, 128;`, `barrier.sync.aligned 0;` and `bar.warp.sync mask;`.
bool heddle::ptx::decodeBarrier(Decoder &decoder) {
  Instruction &out = decoder.out;
  decoder.take("cta");
  if (decoder.take("warp"))
    return decoder.take("sync") && decoder.expectOperands(1) && decoder.source(0, {Type::Unsigned, 4}, out.a) &&
           decoder.finish(synchronize);
  if (!decoder.take("sync"))
    return decoder.fail("expected .sync, because other barriers are not supported");
  decoder.take("aligned");
  int64_t number;
  if (!decoder.expectOperands(1, 2) || !decoder.immediate(0, number, 0, 15))
    return false;
  if (decoder.operandCount() == 2 && !decoder.immediate(1, out.offset, 32, 1024))
    return false;
  return decoder.finish(Instruction::Barrier);
}
