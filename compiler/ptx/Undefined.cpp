//===- Undefined.cpp - registers loaded from unwritten memory -------------===//

#include "Undefined.h"

#include "Workgroup.h"

#include <functional>

using namespace llvm;
using namespace heddle::ptx;

void Undefined::set(Row row, Lanes lanes, Lanes undefined, const Origin &origin) {
  undefined &= lanes;
  Lanes before = of(row), after = (before & ~lanes) | undefined;
  if (!after)
    values.erase(row);
  else if (after != before)
    values[row] = {after, undefined ? origin : originOf(row)};
}

bool Warp::isDefined(Row row, const Instruction &instruction, Lanes lanes) const {
  if (!(undefined.of(row) & lanes))
    return true;
  const Undefined::Origin &origin = undefined.originOf(row);
  std::string where = origin.space == Space::Local    ? "local memory"
                      : origin.space == Space::Shared ? "shared memory"
                                                      : "buffer " + std::to_string(origin.buffer) + ", a state,";
  fail(*origin.load, 1u << origin.lane,
       "reads " + Twine(origin.bytes) + (origin.bytes == 1 ? " byte" : " bytes") + " of " + where + " at byte " +
           Twine(origin.place) + ", which has not been written, and line " + Twine(instruction.statement->line) +
           " uses the value");
  return false;
}

void Warp::storeUndefined(const char *place, unsigned bytes, Row value, const Instruction &instruction, unsigned lane) {
  if (!(undefined.of(value) >> lane & 1))
    return;
  auto offsetIn = [&](const std::vector<char> &memory) -> std::optional<size_t> {
    bool isThere = std::less_equal<>()(memory.data(), place) && std::less<>()(place, memory.data() + memory.size());
    return isThere ? std::optional(size_t(place - memory.data())) : std::nullopt;
  };
  if (auto offset = offsetIn(group.shared))
    group.sharedShadow.set(*offset, bytes, 0);
  else if (auto offset = offsetIn(local))
    std::fill_n(localWritten.begin() + ptrdiff_t(*offset), bytes, false);
  else
    isDefined(value, instruction, 1u << lane);
}

/// Returns the lanes that receive an undefined value from a shuffle. Executes the shuffle after setting its register a
/// to 1 in undefined lanes and to 0 elsewhere. Then restores a and the result d, because d may be a register that the
/// shuffle reads.
static Lanes shuffled(Warp &warp, const Instruction &instruction, Lanes lanes, Lanes undefined) {
  uint32_t *a = warp.row<uint32_t>(instruction.a), *d = warp.row<uint32_t>(instruction.d);
  uint32_t values[warpSize], results[warpSize];
  std::copy_n(a, warpSize, values);
  std::copy_n(d, warpSize, results);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    a[lane] = undefined >> lane & 1;
  instruction.execute(warp, instruction, lanes);
  Lanes taken = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    taken |= Lanes(d[lane] & 1) << lane;
  std::copy_n(results, warpSize, d);
  std::copy_n(values, warpSize, a);
  return taken & lanes;
}

void Warp::executeUndefined(const Instruction &instruction, Lanes lanes) {
  for (Row address : instruction.addresses)
    if (!isDefined(address, instruction, lanes))
      return;
  auto of = [&](Row row) { return row == noRow ? 0 : undefined.of(row) & lanes; };
  Lanes result = 0;
  Undefined::Origin origin;
  for (Row source : instruction.sources)
    if (Lanes some = of(source)) {
      result |= some;
      origin = undefined.originOf(source);
    }
  switch (instruction.flow) {
  case Instruction::FromAll:
    break;
  case Instruction::FromChosen: {
    Lanes first = predicate(instruction.c);
    result = 0;
    for (auto [row, which] : {std::pair(instruction.c, allLanes), {instruction.a, first}, {instruction.b, ~first}})
      if (Lanes chosen = of(row) & which) {
        result |= chosen;
        origin = undefined.originOf(row);
      }
    break;
  }
  case Instruction::FromBothTrue:
  case Instruction::FromBothFalse: {
    // A defined predicate may decide the result alone: false decides "and", and true decides "or".
    Lanes deciding = instruction.flow == Instruction::FromBothTrue ? 0 : allLanes;
    for (Row row : {instruction.a, instruction.b})
      result &= ~(~of(row) & ~(predicate(row) ^ deciding)); // remove lanes where `row` is defined and decides
    break;
  }
  case Instruction::FromOtherLanes:
    for (Row row : instruction.sources)
      if (row != instruction.a && !isDefined(row, instruction, lanes))
        return;
    result = shuffled(*this, instruction, lanes, of(instruction.a));
    break;
  case Instruction::RequiresDefined:
    for (Row row : instruction.sources)
      if (!isDefined(row, instruction, lanes))
        return;
    break;
  }
  for (Row row : instruction.results)
    undefined.set(row, lanes, 0, {});
  instruction.execute(*this, instruction, lanes);
  for (Row row : instruction.results)
    if (result && !(instruction.flow == Instruction::FromOtherLanes && row == instruction.e)) // e does not depend on a
      undefined.set(row, result, result, origin);
}
