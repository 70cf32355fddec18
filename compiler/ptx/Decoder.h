//===- Decoder.h - helps to decode instructions -----------------*- C++ -*-===//

#ifndef HEDDLE_PTX_DECODER_H
#define HEDDLE_PTX_DECODER_H

#include "Program.h"

#include "llvm/ADT/DenseMap.h"

namespace heddle::ptx {

/// Assigns rows to a kernel's registers and constants, and offsets to its variables, while its instructions are
/// decoded. A row is the place of a register, with its values in all 32 lanes, in the register file (Program.h).
class Layout {
public:
  Layout(const Module &module, Program &program);

  /// The place and the type of a register.
  struct Slot {
    Row row;
    Type type;
  };
  /// Returns the row and the type of a register, and allocates the row on first use. Returns nothing if the register is
  /// not declared.
  std::optional<Slot> find(llvm::StringRef name);
  /// Returns a row that contains this number in all lanes. `value` has the bits of the number. For a predicate, any
  /// number but 0 means true.
  Row constant(uint64_t value, Type type);
  /// Returns a new row for a result that is discarded ("_").
  Row sink(Type type);
  /// Returns the address of a variable and sets `space` to its state space. Returns nothing if there is no such
  /// variable.
  std::optional<uint64_t> addressOf(llvm::StringRef name, Space &space) const;
  /// Returns the row of a kernel parameter, or nothing if there is no such parameter.
  std::optional<Row> parameter(llvm::StringRef name) const;
  /// Returns the index of the instruction after a label, or nothing if there is no such label.
  std::optional<unsigned> label(llvm::StringRef name) const;

private:
  /// Adds a register to the program's register file.
  Row allocate(Type type);
  /// Assigns an offset to each variable.
  void place(const std::vector<Variable> &variables);

  Program &program;
  llvm::StringMap<Slot> slots; // the registers that instructions have used, by name
  /// The rows of constants, by the bits of the number and its size in bytes, which is 0 for a predicate.
  llvm::DenseMap<std::pair<uint64_t, unsigned>, Row> constants;
};

/// Decodes one instruction. A function that returns false has recorded an error message.
class Decoder {
public:
  Decoder(Layout &layout, const Statement &statement);

  /// Consumes a modifier at any position, such as "sync" of "shfl.sync.bfly.b32". Returns false if there is none.
  bool take(llvm::StringRef modifier);
  /// Consumes the first modifier that is a type. Returns nothing if there is none.
  std::optional<Type> takeType();
  /// Consumes the last modifier if it is a type, and otherwise returns nothing.
  std::optional<Type> takeLastType();
  /// Consumes "v2", "v4" or "v8" and returns the number of elements, which is 1 if there is no such modifier.
  unsigned takeVector();
  /// Consumes a state space. Returns Space::Generic if there is none.
  Space takeSpace();
  /// Consumes hints for caches, such as "L1::evict_last". They do not change results.
  void takeCacheHints();
  /// Returns the mnemonic and the modifiers that are not consumed yet.
  std::string rest() const;

  size_t operandCount() const { return statement.operands.size(); }
  bool isVector(size_t index) const { return statement.operands[index].kind == Operand::Vector; }
  const Operand &operand(size_t index) const { return statement.operands[index]; }
  // Fail if the instruction has a different number of operands.
  bool expectOperands(size_t count) { return expectOperands(count, count); }
  bool expectOperands(size_t minimum, size_t maximum);

  /// Set `row` to the row of an operand that the instruction reads (source) or writes (destination) as a value of type
  /// `type`. They also add registers to `out.sources` or `out.results`. They fail if the register has a different size.
  bool source(size_t index, Type type, Row &row) { return source(operand(index), type, row); }
  bool source(const Operand &operand, Type type, Row &row);
  bool destination(size_t index, Type type, Row &row) { return destination(operand(index), type, row); }
  bool destination(const Operand &operand, Type type, Row &row);
  /// Like `source` and `destination`, but the register may be larger than the type. `registerType` receives `type` with
  /// the size of the register.
  bool sourceAtLeast(const Operand &operand, Type type, Row &row, Type &registerType);
  bool destinationAtLeast(const Operand &operand, Type type, Row &row, Type &registerType);
  /// Sets `value` to an operand that must be a number from `minimum` to `maximum`.
  bool immediate(size_t index, int64_t &value, int64_t minimum, int64_t maximum);
  /// Decodes an operand that is an address. Sets `row` to the row of its register, or to noRow if the address is
  /// `offset` alone. For a 32-bit register, `row` includes the flag narrowAddress (Access.h).
  bool address(size_t index, Space space, Row &row, int64_t &offset);
  /// Sets `row` to the row of the kernel parameter that an operand names as an address, such as [p0].
  bool parameter(size_t index, Row &row);
  /// Sets `target` to the index of the instruction after the label that is the operand.
  bool target(size_t index, uint32_t &target);

  /// Records an error message, unless there is one already, and returns false.
  bool fail(const llvm::Twine &what);
  /// Set the function (or the kind of control flow) of the instruction. They fail if a modifier has not been consumed,
  /// or if `execute` is null, which means that the types of the instruction are not supported.
  bool finish(Execute execute);
  bool finish(Instruction::Control control);

  Instruction out; // the decoded instruction
  const Statement &statement;
  Layout &layout;
  std::string error; // the first error message; empty if nothing failed

private:
  bool wrongSize(const Operand &operand, Type registerType, Type type);

  llvm::StringRef mnemonic;                        // the opcode up to its first dot
  llvm::SmallVector<llvm::StringRef, 8> modifiers; // the modifiers that are not consumed yet, without dots
};

} // namespace heddle::ptx

#endif // HEDDLE_PTX_DECODER_H
