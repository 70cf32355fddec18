//===- Module.h - what a text of PTX says -----------------------*- C++ -*-===//
//
// What the parser makes of it: kernels with their instructions as they are
// written. What they mean is decoded after that (Program.h).
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

/// Where a variable or what an address names lies. Generic: the address says so.
enum class Space : uint8_t { Generic, Param, Global, Shared, Local, Const };

/// What a text may ask for, whose memory is made when it is read or run. GPUs have less of it, and compilers need less.
constexpr uint64_t mostVariableBytes = uint64_t(1) << 26, mostVariables = 4096; // all together
constexpr uint64_t mostRegisters = uint64_t(1) << 18, mostInstructions = uint64_t(1) << 18, mostParameters = 512; // a kernel
constexpr uint64_t mostRegisterBytes = uint64_t(1) << 26; // of a warp, with a kernel's constants
/// As GPUs have it: of a workgroup, and of a thread.
constexpr uint64_t mostSharedBytes = 227 * 1024, mostLocalBytes = 512 * 1024;

struct Variable {
  llvm::StringRef name;
  Space space = Space::Generic;
  uint64_t align = 1, size = 0; // bytes
  /// As long as a launch says: `.extern .shared .b8 name[]`.
  bool isOpen = false;
  /// The `size` bytes that it begins with, zeros where the text says nothing; shared and local memory begins with none.
  std::vector<char> initial;
};

struct Operand {
  enum Kind { Register, Number, Symbol, Address, Vector };
  Kind kind = Register;
  /// Of a register, a symbol or, in an address, either; empty in an address that is a number.
  llvm::StringRef name;
  uint64_t number = 0;        // its bits; what is added in an address
  unsigned floatBytes = 0;    // of a number that is a float
  bool negated = false;       // "!%p1"
  std::vector<Operand> parts; // of a vector, none a vector
};

/// An instruction: "@%p1 ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1+16];".
struct Statement {
  unsigned line = 0;
  llvm::StringRef opcode, predicate; // no predicate: empty
  bool negated = false;              // "@!%p1"
  /// "%p1|%p2" are two.
  std::vector<Operand> operands;
  llvm::StringRef text; // from the opcode to its end
};

struct Registers {
  Type type;
  unsigned count = 0; // "%r<8>" are %r0 to %r7; 0: a register of this very name
};

struct Kernel {
  llvm::StringRef name;
  unsigned line = 0;
  /// Each a pointer of 64 bits.
  std::vector<llvm::StringRef> parameters;
  /// Threads of a workgroup: .reqntid, or what .maxntid allows; 0: nothing is said.
  std::array<unsigned, 3> threads = {};
  bool exactThreads = false;
  /// What the text says that it is for (heddle/LaunchNotes.h), or "".
  std::string note;
  llvm::StringMap<Registers> registers; // by name, of several by what stands before the number
  std::vector<Variable> variables;
  std::vector<Statement> statements;
  llvm::StringMap<unsigned> labels; // the number of the statement that follows
};

struct Module {
  std::string text;              // what names are parts of
  std::deque<std::string> names; // of registers that inner blocks have
  unsigned version = 0;          // 80: 8.0
  unsigned target = 0;           // 80: sm_80
  std::vector<Kernel> kernels;
  std::vector<Variable> variables;

  const Kernel *find(llvm::StringRef name) const;
};

/// Fails with a text that begins with the line, "line 12: ...".
llvm::Expected<std::unique_ptr<Module>> parse(llvm::StringRef text);

} // namespace heddle::ptx

#endif // HEDDLE_PTX_MODULE_H
