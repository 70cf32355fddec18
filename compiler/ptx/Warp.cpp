//===- Warp.cpp - 32 lanes that execute together --------------------------===//

#include "Workgroup.h"

using namespace llvm;
using namespace heddle::ptx;

Warp::Warp(Workgroup &group, unsigned number)
    : number(number), group(group), registers(group.launch.program.registers) {
  local.resize(group.launch.program.localBytes * warpSize);
}

void Warp::begin(const std::array<unsigned, 3> &place) {
  const Launch &launch = group.launch;
  registers = launch.program.registers;
  localWritten.assign(local.size(), false);
  // The previous workgroup may have ended without waiting for some copies. Mark the destinations of these copies as
  // unwritten, because they must not count as pending in the next workgroup.
  copies.wait(allLanes, 0, /*open=*/true,
              [&](const AsyncCopies::Copy &copy) { group.sharedShadow.set(copy.to, copy.bytes, 0); });
  copies.clear();
  undefined.clear();
  barrier = nullptr;
  executed = 0;
  unsigned count = std::min(warpSize, group.threads - number * warpSize);
  done = count == warpSize ? 0 : allLanes << count;
  active = living();
  pc = 0;
  join = noJoin;
  paths = {{pc, join, active}};
  for (size_t i = 0; i < launch.views.size(); ++i)
    std::fill_n(row<uint64_t>(launch.program.parameters[i]), warpSize, addressOf(i, launch.views[i]));
  for (const auto &special : launch.program.specials) {
    uint32_t *values = row<uint32_t>(special.second);
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      unsigned thread = number * warpSize + lane;
      StringRef name = special.first();
      unsigned axis = name.ends_with(".y") ? 1 : name.ends_with(".z") ? 2 : 0;
      unsigned ids[] = {thread % launch.threads[0], thread / launch.threads[0] % launch.threads[1],
                        thread / launch.threads[0] / launch.threads[1]};
      values[lane] = name.starts_with("%tid")      ? ids[axis]
                     : name.starts_with("%ntid")   ? launch.threads[axis]
                     : name.starts_with("%ctaid")  ? place[axis]
                     : name.starts_with("%nctaid") ? launch.groups[axis]
                     : name == "%laneid"           ? lane
                     : name == "%warpid"           ? number
                     : name == "%lanemask_eq"      ? 1u << lane
                     : name == "%lanemask_lt"      ? (1u << lane) - 1
                     : name == "%lanemask_le"      ? (2u << lane) - 1
                     : name == "%lanemask_gt"      ? ~((2u << lane) - 1)
                                                   : /* %lanemask_ge */ ~((1u << lane) - 1);
    }
  }
}

void Warp::fail(const Instruction &instruction, Lanes lanes, const Twine &what) const {
  group.fail(*this, instruction, unsigned(__builtin_ctz(lanes | 1u << 31)), what);
}

bool Warp::choose() {
  paths.back().pc = pc;
  for (active = 0; !paths.empty(); paths.pop_back()) {
    const Path &path = paths.back();
    active = path.lanes & living();
    pc = path.pc;
    join = path.join;
    if (active && pc != join)
      return true;
  }
  return false;
}

void Warp::branch(const Instruction &instruction, Lanes taken) {
  if (taken == active) {
    pc = instruction.target;
  } else if (!taken) {
    ++pc;
  } else {
    uint32_t meeting = instruction.join == noJoin ? join : instruction.join;
    Path one = {pc + 1, meeting, active & ~taken}, other = {instruction.target, meeting, taken};
    // Both groups of lanes reconverge at `meeting`. If the current path ends at `meeting`, too, the path below it on
    // the stack continues there, so remove the current path. Otherwise the current path continues there.
    if (meeting == join)
      paths.pop_back();
    else
      paths.back() = {meeting, join, active};
    paths.push_back(one);
    paths.push_back(other);
    pc = other.pc;
    choose();
  }
}

void Warp::exit(Lanes lanes) {
  done |= lanes;
  active &= ~lanes;
  ++pc;
}

void Warp::arrive(const Instruction &instruction) {
  if (active != living())
    return fail(instruction, active, "the barrier is divergent: other lanes of this warp do not reach it");
  if (instruction.offset && uint64_t(instruction.offset) != group.threads)
    return fail(instruction, active, "a barrier for only some threads of the workgroup is not supported");
  if (group.launch.counters)
    ++group.launch.counters->barriers;
  barrier = &instruction;
  ++pc;
}

void Warp::run() {
  const std::vector<Instruction> &code = group.launch.program.code;
  uint64_t before = executed;
  while (!barrier && !group.hasFailed()) {
    if (!active || pc == join)
      if (paths.empty() || !choose())
        break;
    const Instruction &instruction = code[pc];
    if (++executed > group.launch.maxInstructions) {
      fail(instruction, active,
           "a warp has executed " + Twine(executed - 1) +
               " instructions, which is the limit: the kernel probably never ends");
      break;
    }
    Lanes lanes = active;
    if (instruction.predicate != noRow) {
      if (!undefined.empty() && !isDefined(instruction.predicate, instruction, lanes))
        break;
      lanes &= predicate(instruction.predicate) ^ (instruction.negated ? allLanes : 0);
    }
    switch (instruction.control) {
    case Instruction::None:
      if (lanes && undefined.empty())
        instruction.execute(*this, instruction, lanes);
      else if (lanes)
        executeUndefined(instruction, lanes);
      ++pc;
      break;
    case Instruction::Branch:
      branch(instruction, lanes);
      break;
    case Instruction::Exit:
      exit(lanes);
      break;
    case Instruction::Barrier:
      if (lanes == active)
        arrive(instruction);
      else if (lanes)
        fail(instruction, lanes, "the barrier is divergent: its predicate is true in some lanes of this warp only");
      else
        ++pc;
      break;
    }
  }
  if (group.launch.counters)
    group.launch.counters->instructions += executed - before;
}
