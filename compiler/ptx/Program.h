//===- Program.h - decoded kernels ------------------------------*- C++ -*-===//
//
// An instruction is decoded once, into a function for 32 lanes and the rows
// that it reads and writes. Then many warps execute it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PTX_PROGRAM_H
#define HEDDLE_PTX_PROGRAM_H

#include "Module.h"

namespace heddle::ptx {

class Warp;
struct Instruction;

/// A set of lanes of a warp, one bit for each lane.
using Lanes = uint32_t;
constexpr unsigned warpSize = 32;
constexpr Lanes allLanes = UINT32_MAX;

/// Executes an instruction in these lanes, of which there is at least one.
using Execute = void (*)(Warp &warp, const Instruction &instruction, Lanes lanes);

/// The place of a register in a warp's register file, which holds a value for each of 32 lanes: the offset of the first
/// byte. A predicate has one bit for each lane; all other registers have the bytes of their type for each lane.
using Row = uint32_t;
constexpr Row noRow = UINT32_MAX;

constexpr uint32_t noJoin = UINT32_MAX;

struct Instruction {
  /// How the warp's own loop executes an instruction that changes the flow of control.
  enum Control : uint8_t { None, Branch, Exit, Barrier };

  Execute execute = nullptr; // if control is None
  Row predicate = noRow;
  bool negated = false;
  Control control = None;
  /// The state space of an address, or of the memory that the instruction accesses.
  Space space = Space::Generic;
  uint8_t bytes = 0; // the size of one element in memory
  Row d = noRow, a = noRow, b = noRow, c = noRow, e = noRow;
  /// The offset that is added to an address; for some instructions, other details.
  int64_t offset = 0;
  uint32_t target = 0; // The instruction that a branch goes to; for some instructions, other details.
  /// The instruction at which all lanes that a branch separates continue together; noJoin if there is none.
  uint32_t join = noJoin;
  /// The rows of the elements of vectors, in the order in which they are written.
  std::vector<Row> rows;
  /// The sources on which a result depends, if some of them come from memory that nobody has written (Undefined.h):
  /// * FromAll: all sources in the same lane.
  /// * FromChosen: a or b, depending on the predicate c, and c itself.
  /// * FromBothTrue, FromBothFalse: "and" and "or" of two predicates, where one predicate alone may decide the result.
  /// * FromOtherLanes: a in other lanes.
  /// * RequiresDefined: the instruction requires all sources to be written.
  enum Flow : uint8_t { FromAll, FromChosen, FromBothTrue, FromBothFalse, FromOtherLanes, RequiresDefined };
  Flow flow = FromAll;
  /// The registers that the instruction reads as operands, reads as addresses, and writes.
  std::vector<Row> sources, addresses, results;
  const Statement *statement = nullptr;
};

/// A variable and its offset in its state space.
struct Placed {
  const Variable *variable;
  uint64_t offset;
};

/// A kernel that can be launched. It points into its module, which must outlive it.
struct Program {
  const Kernel *kernel = nullptr;
  std::vector<Instruction> code;
  /// The register file with which each warp begins; it includes the constants.
  std::vector<char> registers;
  /// The rows of special registers such as %tid.x, by name. Each has 32 bits.
  llvm::StringMap<Row> specials;
  /// The rows of the parameters, which are 64-bit addresses.
  std::vector<Row> parameters;
  std::vector<Placed> shared, local, constants;
  uint64_t sharedBytes = 0, localBytes = 0, constantBytes = 0;
};

/// Sets Instruction::join of all branches.
void findJoins(std::vector<Instruction> &code);

/// Decodes a kernel. Fails if the kernel has an instruction that is unknown or wrong ("k, line 12: ..."), or if it asks
/// for more memory than GPUs have.
llvm::Expected<Program> decode(const Module &module, const Kernel &kernel);

} // namespace heddle::ptx

#endif // HEDDLE_PTX_PROGRAM_H
