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

/// The state space of a variable or an address. The value of a generic address determines its space.
enum class Space : uint8_t { Generic, Param, Global, Shared, Local, Const };

/// Limits on the memory that a text can request. They protect the host, which allocates this memory when it parses or
/// runs the text. They are larger than the limits of GPUs and the needs of compilers.
constexpr uint64_t maxVariableBytes = uint64_t(1) << 26, maxVariables = 4096; // of a module
// Limits for one kernel.
constexpr uint64_t maxRegisters = uint64_t(1) << 18, maxInstructions = uint64_t(1) << 18, maxParameters = 512;
constexpr uint64_t maxRegisterBytes = uint64_t(1) << 26; // of a warp, including the kernel's constants
/// The limits of GPUs for one workgroup and for one thread.
constexpr uint64_t maxSharedBytes = 227 * 1024, maxLocalBytes = 512 * 1024;

struct Variable {
  llvm::StringRef name;
  Space space = Space::Generic;
  uint64_t align = 1, size = 0; // in bytes
  /// Whether the launch determines the size: `.extern .shared .b8 name[]`.
  bool isDynamic = false;
  /// The initial `size` bytes, which are zeros if the text gives none. It is empty in shared and local memory.
  std::vector<char> initial;
};

struct Operand {
  enum Kind { Register, Number, Symbol, Address, Vector };
  Kind kind = Register;
  /// The name of a register or of a symbol. For an address, it is the name to which the offset is relative; it is empty
  /// for an address that is only a number.
  llvm::StringRef name;
  uint64_t number = 0;        // the bits of a number; the offset of an address
  unsigned floatBytes = 0;    // the size of a float; 0 for other numbers
  bool negated = false;       // "!%p1"
  std::vector<Operand> parts; // the elements of a vector, which are not vectors
};

/// An instruction, for example `@%p1 ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1+16];`.
struct Statement {
  unsigned line = 0;
  llvm::StringRef opcode, predicate; // the predicate is empty if there is none
  bool negated = false;              // "@!%p1"
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

struct Kernel {
  llvm::StringRef name;
  unsigned line = 0;
  /// The names of the parameters. Each parameter is a 64-bit pointer.
  std::vector<llvm::StringRef> parameters;
  /// The size of a workgroup by .reqntid, or its maximum by .maxntid. Zeros if the text contains neither directive.
  std::array<unsigned, 3> threads = {};
  bool exactThreads = false; // whether `threads` is from .reqntid
  /// The comment that describes the kernel (heddle/LaunchComments.h); empty if there is none.
  std::string note;
  llvm::StringMap<Registers> registers; // by the name in the declaration, such as "%r" or "%x"
  std::vector<Variable> variables;
  std::vector<Statement> statements;
  llvm::StringMap<unsigned> labels; // the index of the statement after the label
};

struct Module {
  std::string text;              // the names in this module point into it
  std::deque<std::string> names; // the names of registers that inner blocks declare
  unsigned version = 0;          // 80 is PTX 8.0
  unsigned target = 0;           // 80 is sm_80
  std::vector<Kernel> kernels;
  std::vector<Variable> variables;

  const Kernel *find(llvm::StringRef name) const;
};

/// Parses a text. An error begins with the line, such as "line 12: ...".
llvm::Expected<std::unique_ptr<Module>> parse(llvm::StringRef text);

} // namespace heddle::ptx

#endif // HEDDLE_PTX_MODULE_H
