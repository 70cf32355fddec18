//===- Shuffle.cpp - shuffles and votes -----------------------------------===//

#include "Instructions.h"
#include "LaneLoops.h"

using namespace llvm;
using namespace heddle::ptx;

namespace {

/// The modes of shfl: `.up`, `.down`, `.bfly` and `.idx`.
enum class Mode { Up, Down, Butterfly, Index };

/// Checks that each lane's mask, in the row `masks`, contains exactly the lanes that execute the instruction. If not,
/// the warp fails and the result is false.
bool areMembers(Warp &warp, const Instruction &instruction, Row masks, Lanes lanes) {
  const uint32_t *members = warp.row<uint32_t>(masks);
  for (Lanes left = lanes; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    if (members[lane] == lanes)
      continue;
    Lanes missing = members[lane] & ~lanes;
    warp.fail(instruction, 1u << lane,
              missing
                  ? "lane " + Twine(__builtin_ctz(missing)) + " is in the mask, but does not execute the instruction"
                  : "lane " + Twine(__builtin_ctz(lanes & ~members[lane])) +
                        " executes the instruction, but is not in the mask");
    return false;
  }
  return true;
}

/// Executes shfl.sync: sets d to the value of a in another lane, or to the value of a in this lane if the other lane is
/// out of range. Operand b is the distance or the index of the other lane. Operand c contains the range: the clamp in
/// bits 0 to 4, and the mask of a segment in bits 8 to 12. The predicate e receives whether the other lane is in range.
template <Mode mode> void shuffle(Warp &warp, const Instruction &instruction, Lanes lanes) {
  if (!areMembers(warp, instruction, instruction.rows[0], lanes))
    return;
  uint32_t results[warpSize];
  const uint32_t *a = warp.row<uint32_t>(instruction.a), *b = warp.row<uint32_t>(instruction.b),
                 *c = warp.row<uint32_t>(instruction.c);
  Lanes inRange = 0;
  for (Lanes left = lanes; left; left &= left - 1) {
    int lane = __builtin_ctz(left), by = int(b[lane] & 31), clamp = int(c[lane] & 31), segment = int(c[lane] >> 8 & 31);
    int last = (lane & segment) | (clamp & ~segment), from = lane;
    bool is = false;
    switch (mode) {
    case Mode::Up:
      from = lane - by;
      is = from >= last;
      break;
    case Mode::Down:
      from = lane + by;
      is = from <= last;
      break;
    case Mode::Butterfly:
      from = lane ^ by;
      is = from <= last;
      break;
    case Mode::Index:
      from = (lane & segment) | (by & ~segment);
      is = from <= last;
      break;
    }
    from = is ? from : lane;
    if (!(lanes >> from & 1))
      return warp.fail(instruction, 1u << lane,
                       "the instruction reads the value of lane " + Twine(from) +
                           ", which does not execute the instruction");
    inRange |= Lanes(is) << lane;
    results[lane] = a[from];
  }
  warp.set(instruction.d, results, lanes);
  if (instruction.e != noRow)
    setPredicate(warp, instruction.e, inRange, lanes);
}

enum class Vote { All, Any, Uniform, Ballot };

/// Executes vote.sync on the predicate a, which is negated if `offset` is 1. The row b contains the masks of lanes.
template <Vote vote> void executeVote(Warp &warp, const Instruction &instruction, Lanes lanes) {
  if (!areMembers(warp, instruction, instruction.b, lanes))
    return;
  Lanes yes = (warp.predicate(instruction.a) ^ (instruction.offset ? allLanes : 0)) & lanes;
  if constexpr (vote == Vote::Ballot) {
    uint32_t results[warpSize];
    std::fill_n(results, warpSize, yes);
    warp.set(instruction.d, results, lanes);
  } else {
    bool result = vote == Vote::All ? yes == lanes : vote == Vote::Any ? yes != 0 : !yes || yes == lanes;
    setPredicate(warp, instruction.d, result ? allLanes : 0, lanes);
  }
}

constexpr Type number32 = {Type::Bits, 4}, predicate = {Type::Predicate, 0};

} // namespace

/// Decodes `shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1;`.
bool heddle::ptx::decodeShuffle(Decoder &decoder) {
  Instruction &out = decoder.out;
  out.flow = Instruction::FromOtherLanes;
  if (!decoder.take("sync") || !decoder.take("b32"))
    return decoder.fail("expected .sync and .b32");
  static constexpr std::pair<StringLiteral, Execute> modes[] = {{"up", shuffle<Mode::Up>},
                                                                {"down", shuffle<Mode::Down>},
                                                                {"bfly", shuffle<Mode::Butterfly>},
                                                                {"idx", shuffle<Mode::Index>}};
  Execute execute = nullptr;
  for (auto [name, loop] : modes)
    if (!execute && decoder.take(name))
      execute = loop;
  if (!decoder.expectOperands(5, 6) || !decoder.destination(0, number32, out.d))
    return false;
  size_t next = 1;
  if (decoder.operandCount() == 6 && !decoder.destination(next++, predicate, out.e))
    return false;
  return decoder.source(next, number32, out.a) && decoder.source(next + 1, number32, out.b) &&
         decoder.source(next + 2, number32, out.c) && decoder.source(next + 3, number32, out.rows.emplace_back()) &&
         decoder.finish(execute);
}

/// Decodes `vote.sync.ballot.b32 %r1, %p1, -1;` and `vote.sync.all.pred %p1, !%p2, -1;`.
bool heddle::ptx::decodeVote(Decoder &decoder) {
  Instruction &out = decoder.out;
  out.flow = Instruction::RequiresDefined;
  if (!decoder.take("sync"))
    return decoder.fail("expected .sync");
  bool ballot = decoder.take("ballot");
  Execute execute = ballot                ? executeVote<Vote::Ballot>
                    : decoder.take("all") ? executeVote<Vote::All>
                    : decoder.take("any") ? executeVote<Vote::Any>
                    : decoder.take("uni") ? executeVote<Vote::Uniform>
                                          : Execute(nullptr);
  std::optional<Type> type = decoder.takeLastType();
  if (!type || (ballot ? !type->is(Type::Bits, 4) : type->kind != Type::Predicate))
    return decoder.fail(ballot ? "expected .b32" : "expected .pred");
  if (!decoder.expectOperands(3) || !decoder.destination(0, *type, out.d))
    return false;
  Operand asked = decoder.operand(1);
  out.offset = asked.negated;
  asked.negated = false;
  return decoder.source(asked, predicate, out.a) && decoder.source(2, number32, out.b) && decoder.finish(execute);
}
