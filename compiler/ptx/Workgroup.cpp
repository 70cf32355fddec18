//===- Workgroup.cpp - warps that share memory and barriers ---------------===//

#include "Workgroup.h"

using namespace llvm;
using namespace heddle::ptx;

Workgroup::Workgroup(const Launch &launch, Clock &clock)
    : launch(launch), clock(clock), threads(launch.threads[0] * launch.threads[1] * launch.threads[2]) {
  shared.resize(launch.program.sharedBytes + launch.sharedBytes);
  sharedShadow = Shadow(shared.size());
  unsigned count = (threads + warpSize - 1) / warpSize;
  warps.reserve(count);
  for (unsigned number = 0; number < count; ++number)
    warps.emplace_back(*this, number);
}

void Workgroup::fail(const Warp &warp, const Instruction &instruction, unsigned lane, const Twine &what) {
  if (hasFailed())
    return;
  auto triple = [](const std::array<unsigned, 3> &n) {
    return std::to_string(n[0]) + "," + std::to_string(n[1]) + "," + std::to_string(n[2]);
  };
  const Kernel &kernel = *launch.program.kernel;
  std::string description = kernel.description.empty() ? "" : " (" + kernel.description + ")";
  message = (kernel.name + description + ", PTX line " + Twine(instruction.statement->line) + ": " +
             instruction.statement->text + ": workgroup (" + triple(place) + "), thread " +
             Twine(warp.number * warpSize + lane) + ": " + what)
                .str();
}

const AsyncCopies::Copy *Workgroup::findCopy(uint64_t place) const {
  for (const Warp &warp : warps)
    if (const AsyncCopies::Copy *copy = warp.copies.find(place))
      return copy;
  return nullptr;
}

bool Workgroup::passBarrier() {
  const Warp *first = nullptr;
  for (Warp &warp : warps) {
    if (!warp.waitsAt())
      continue;
    if (first && first->waitsAt() != warp.waitsAt()) {
      fail(warp, *warp.waitsAt(), 0,
           "the barrier is divergent: thread " + Twine(first->number * warpSize) + " waits at the barrier of line " +
               Twine(first->waitsAt()->statement->line));
      return false;
    }
    first = first ? first : &warp;
  }
  for (Warp &warp : warps)
    warp.leaveBarrier();
  clock.beginEpoch();
  return first;
}

bool Workgroup::run(const std::array<unsigned, 3> &where) {
  place = where;
  clock.beginGroup();
  for (Warp &warp : warps)
    warp.begin(place);
  do
    for (Warp &warp : warps) {
      clock.beginTurn(warp.number);
      warp.run();
      if (hasFailed())
        return false;
    }
  while (passBarrier() && !clock.isExhausted());
  return !hasFailed();
}
