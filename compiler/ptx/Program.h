//===- Program.h - kernels, decoded -----------------------------*- C++ -*-===//
//
// An instruction is decoded once, into a function for 32 lanes and the places of
// what it reads and writes; then it is executed by many warps.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PTX_PROGRAM_H
#define HEDDLE_PTX_PROGRAM_H

#include "Module.h"

namespace heddle::ptx {

class Warp;
struct Instruction;

/// One bit for each lane of a warp.
using Lanes = uint32_t;
constexpr unsigned warpSize = 32;
constexpr Lanes allLanes = UINT32_MAX;

/// Does what an instruction does in these lanes, of which there is at least one.
using Execute = void (*)(Warp &warp, const Instruction &instruction, Lanes lanes);

/// Where a warp has a value for each lane: bytes from the beginning of its file of registers. A predicate has one bit
/// for each lane, all others what their type has.
using Row = uint32_t;
constexpr Row noRow = UINT32_MAX;

constexpr uint32_t noJoin = UINT32_MAX;

struct Instruction {
  /// What the warp's loop does itself: where to go on.
  enum Control : uint8_t { None, Branch, Exit, Barrier };

  Execute execute = nullptr; // where control is None
  Row predicate = noRow;
  bool negated = false;
  Control control = None;
  /// Of an address, or of what the instruction works on.
  Space space = Space::Generic;
  uint8_t bytes = 0; // of one element in memory
  Row d = noRow, a = noRow, b = noRow, c = noRow, e = noRow;
  /// What an address adds; what else an instruction has to know.
  int64_t offset = 0;
  uint32_t target = 0; // of a branch: an instruction
  /// Of a branch: the instruction where all lanes that go either way meet again; noJoin: nowhere.
  uint32_t join = noJoin;
  /// More rows: the parts of vectors, in the order in which they are written.
  std::vector<Row> rows;
  /// What results take their values from, where some have none (Undefined.h): all sources of a lane; a or b, as c says;
  /// both, where neither alone makes "and" or "or" false or true; a of other lanes. Needs: it takes all of them.
  enum Flow : uint8_t { FromAll, FromChosen, FromBothTrue, FromBothFalse, FromOthers, Needs };
  Flow flow = FromAll;
  /// Registers that it reads, those that are its addresses, and those that it writes.
  std::vector<Row> sources, addresses, results;
  const Statement *statement = nullptr;
};

/// A variable at its place in its space.
struct Placed {
  const Variable *variable;
  uint64_t offset;
};

/// A kernel that can be launched. It points into its module, which outlives it.
struct Program {
  const Kernel *kernel = nullptr;
  std::vector<Instruction> code;
  /// The file of registers as a warp begins with it: constants, and what its lanes are called (%tid.x).
  std::vector<char> registers;
  /// Places of special registers, by name: 32 bits each.
  llvm::StringMap<Row> specials;
  /// Places of the parameters: addresses of 64 bits.
  std::vector<Row> parameters;
  std::vector<Placed> shared, local, constants;
  uint64_t sharedBytes = 0, localBytes = 0, constantBytes = 0;
};

/// Sets where the lanes of each branch meet again.
void findJoins(std::vector<Instruction> &code);

/// Fails where a kernel has an instruction that is unknown, or is not right: "k, line 12: ..."; or where it asks for
/// more memory than there is on a GPU.
llvm::Expected<Program> decode(const Module &module, const Kernel &kernel);

} // namespace heddle::ptx

#endif // HEDDLE_PTX_PROGRAM_H
