//===- Program.h - decoded kernels ------------------------------*- C++ -*-===//
//
// The decoder converts each instruction of a kernel once, into a function for 32
// lanes and the rows that the function reads and writes. All warps execute the
// decoded instructions.
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

/// A function that executes an instruction in the lanes `lanes`. This set contains at least one lane.
using Execute = void (*)(Warp &warp, const Instruction &instruction, Lanes lanes);

/// The offset in bytes of a register in the register file of a warp. A register contains values for all 32 lanes, one
/// after another: one bit for each lane if it is a predicate, otherwise as many bytes for each lane as its type has.
using Row = uint32_t;
constexpr Row noRow = UINT32_MAX; // no register

constexpr uint32_t noJoin = UINT32_MAX; // the value of Instruction::join if there is none

/// A decoded instruction.
struct Instruction {
  /// The kind of an instruction that changes the control flow; Warp::run executes these instructions itself.
  enum Control : uint8_t { None, Branch, Exit, Barrier };

  Execute execute = nullptr; // executes the instruction if `control` is None
  Row predicate = noRow;     // the predicate after "@"; noRow if there is none
  bool negated = false;      // whether the predicate is negated ("@!%p1")
  Control control = None;
  /// The state space of an address, or of the memory that the instruction accesses.
  Space space = Space::Generic;
  uint8_t bytes = 0; // the size of one element in memory, in bytes
  /// The result d, the sources a, b and c, and a second result e. Most instructions use only some of them.
  Row d = noRow, a = noRow, b = noRow, c = noRow, e = noRow;
  /// The offset that is added to an address. Some instructions store other details here.
  int64_t offset = 0;
  uint32_t target = 0; // the index of a branch's target in the code; some instructions store other details here
  /// The index of the instruction at which all lanes that a branch separates reconverge, or noJoin if there is none.
  uint32_t join = noJoin;
  /// The rows of the elements of vector operands, in the order of the text.
  std::vector<Row> rows;
  /// A register is undefined in a lane if its value comes from unwritten memory (Undefined.h). The flow determines
  /// when a result is undefined:
  /// * FromAll: if any source is undefined in the same lane.
  /// * FromChosen: if the predicate c is undefined, or the source (a or b) that c selects is undefined.
  /// * FromBothTrue: "and" of two predicates. A defined predicate that is false suffices for a defined result.
  /// * FromBothFalse: "or" of two predicates. A defined predicate that is true suffices for a defined result.
  /// * FromOtherLanes: if a is undefined in the lane from which the result is taken. Another undefined source is an
  ///   error.
  /// * RequiresDefined: never, because an undefined source is an error.
  enum Flow : uint8_t { FromAll, FromChosen, FromBothTrue, FromBothFalse, FromOtherLanes, RequiresDefined };
  Flow flow = FromAll;
  /// The registers that the instruction reads as operands, those that it reads as addresses, and those that it writes.
  std::vector<Row> sources, addresses, results;
  const Statement *statement = nullptr; // the parsed text of the instruction; never null after decoding
};

/// A variable and its offset in bytes in its state space.
struct Placed {
  const Variable *variable;
  uint64_t offset;
};

/// A kernel that can be launched. A program contains pointers into its module, which must outlive the program.
struct Program {
  const Kernel *kernel = nullptr;
  std::vector<Instruction> code;
  /// The initial content of the register file of each warp. If an operand of an instruction is a number or the address
  /// of a variable, a row contains its value.
  std::vector<char> registers;
  /// The rows of the special registers that the kernel reads, such as %tid.x, by name. Special registers have 32 bits.
  llvm::StringMap<Row> specials;
  /// The rows of the parameters, which are 64-bit addresses.
  std::vector<Row> parameters;
  /// The variables in shared memory, in local memory, and in global or constant memory; and the size of each group.
  std::vector<Placed> shared, local, constants;
  uint64_t sharedBytes = 0, localBytes = 0, constantBytes = 0;
};

/// Sets Instruction::join of all branches.
void findJoins(std::vector<Instruction> &code);

/// Decodes a kernel. Fails if the kernel contains an instruction that is unknown or wrong ("k, line 12: ..."), or if it
/// needs more memory than the limits in Module.h.
llvm::Expected<Program> decode(const Module &module, const Kernel &kernel);

} // namespace heddle::ptx

#endif // HEDDLE_PTX_PROGRAM_H
