//===- Module.h - a parsed PTX text -----------------------------*- C++ -*-===//
//
// The parser returns the text of each instruction, split into an opcode and
// operands. The decoder interprets the opcodes later (Program.h).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PTX_MODULE_H
#define HEDDLE_PTX_MODULE_H

#include "Type.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace heddle::ptx {

/// The state space of a variable or an address. Generic is the space of addresses whose value determines the memory
/// that they refer to.
enum class Space : uint8_t { Generic, Param, Global, Shared, Local, Const };

/// Limits on the memory that a text can request. They protect the host, which allocates this memory when it parses or
/// runs the text. Kernels that compilers generate need less.
constexpr uint64_t maxVariableBytes = uint64_t(1) << 26, maxVariables = 4096; // for the variables of a module
// Limits for one kernel.
constexpr uint64_t maxRegisters = uint64_t(1) << 18, maxInstructions = uint64_t(1) << 18, maxParameters = 512;
constexpr uint64_t maxRegisterBytes = uint64_t(1) << 26; // for the registers of a warp and the kernel's constants
/// The limits of GPUs of compute capability 9.0: shared memory of one workgroup, and local memory of one thread.
constexpr uint64_t maxSharedBytes = 227 * 1024, maxLocalBytes = 512 * 1024;

/// A variable in shared, local, global or constant memory.
struct Variable {
  llvm::StringRef name;
  Space space = Space::Generic;
  uint64_t align = 1, size = 0; // in bytes
  /// Whether the launch determines the size: `.extern .shared .b8 name[]`.
  bool isDynamic = false;
  /// The initial `size` bytes, which are zeros if the text gives no values. Empty for a variable in shared or local
  /// memory.
  std::vector<char> initial;
};

/// An operand of an instruction, as the text gives it.
struct Operand {
  enum Kind { Register, Number, Symbol, Address, Vector };
  Kind kind = Register;
  /// The name of a register or of a symbol. For an address, it is the name to which the offset is relative; it is empty
  /// for an address that is only a number.
  llvm::StringRef name;
  uint64_t number = 0;        // the bits of a number; the offset of an address in bytes
  unsigned floatBytes = 0;    // the size of a float in bytes; 0 for other numbers
  bool negated = false;       // whether a "!" precedes a predicate, as in "!%p1"
  std::vector<Operand> parts; // the elements of a vector, which are not vectors
};

/// An instruction, for example `@%p1 ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1+16];`.
struct Statement {
  unsigned line = 0;
  /// The opcode with all modifiers, such as "ld.shared.v4.b32"; and the name of the predicate after "@", which is empty
  /// if there is none.
  llvm::StringRef opcode, predicate;
  bool negated = false; // whether a "!" precedes the predicate, as in "@!%p1"
  /// "%p1|%p2" counts as two operands.
  std::vector<Operand> operands;
  llvm::StringRef text; // from the opcode to the end of the instruction
};

/// A declaration of registers. "%r<8>" has the count 8 and declares %r0 to %r7; "%x" has the count 0 and declares one
/// register.
struct Registers {
  Type type;
  unsigned count = 0;
};

/// A parsed kernel (`.entry`).
struct Kernel {
  llvm::StringRef name;
  unsigned line = 0; // the line of its name in the text
  /// The names of the parameters. Each parameter is a 64-bit pointer.
  std::vector<llvm::StringRef> parameters;
  /// The size of a workgroup (.reqntid) or its maximum (.maxntid). Zeros if the text contains neither directive.
  std::array<unsigned, 3> threads = {};
  bool exactThreads = false; // whether `threads` is from .reqntid
  /// The comment that describes the kernel (heddle/LaunchComments.h); empty if there is none.
  std::string description;
  llvm::StringMap<Registers> registers; // by the name in the declaration, such as "%r" or "%x"
  std::vector<Variable> variables;
  std::vector<Statement> statements;
  llvm::StringMap<unsigned> labels; // for each label, the index of the statement after it
};

/// A parsed PTX text.
struct Module {
  std::string text;              // owns the characters of most StringRefs in this module
  std::deque<std::string> names; // the unique names of registers that inner blocks declare
  unsigned version = 0;          // 80 is PTX 8.0
  unsigned target = 0;           // 80 is sm_80
  std::vector<Kernel> kernels;
  std::vector<Variable> variables;

  /// Returns the kernel with this name, or null.
  const Kernel *find(llvm::StringRef name) const;
};

/// Parses a text. An error begins with the line, such as "line 12: ...".
llvm::Expected<std::unique_ptr<Module>> parse(llvm::StringRef text);

} // namespace heddle::ptx

#endif // HEDDLE_PTX_MODULE_H
