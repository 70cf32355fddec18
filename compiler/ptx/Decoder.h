//===- Decoder.h - helps to decode instructions -----------------*- C++ -*-===//

#ifndef HEDDLE_PTX_DECODER_H
#define HEDDLE_PTX_DECODER_H

#include "Program.h"

#include "llvm/ADT/DenseMap.h"

namespace heddle::ptx {

/// Assigns rows to a kernel's registers and constants, and offsets to its variables, while its instructions are
/// decoded.
class Layout {
public:
  Layout(const Module &module, Program &program);

  struct Slot {
    Row row;
    Type type;
  };
  /// Returns the row and the type of a register, and allocates the row on first use. Returns nothing if the register is
  /// not declared.
  std::optional<Slot> find(llvm::StringRef name);
  /// Returns a row with this number in all lanes. For a predicate, any number but 0 means true.
  Row constant(uint64_t value, Type type);
  /// Returns a new row for a result that is discarded ("_").
  Row sink(Type type);
  /// `addressOf` returns the address of a variable and sets `space` to its state space. `parameter` returns the row of
  /// a kernel parameter. If there is no such variable or parameter, they return nothing.
  std::optional<uint64_t> addressOf(llvm::StringRef name, Space &space) const;
  std::optional<Row> parameter(llvm::StringRef name) const;
  /// Returns the index of the instruction after a label.
  std::optional<unsigned> label(llvm::StringRef name) const;

private:
  Row allocate(Type type);
  void place(const std::vector<Variable> &variables);

  Program &program;
  llvm::StringMap<Slot> slots;
  llvm::DenseMap<std::pair<uint64_t, unsigned>, Row> constants;
};

/// Decodes one instruction. A function that returns false has recorded an error message.
class Decoder {
public:
  Decoder(Layout &layout, const Statement &statement);

  /// Consumes a modifier at any position, such as "sync" of "shfl.sync.bfly.b32". Returns false if there is none.
  bool take(llvm::StringRef modifier);
  /// Consume the first or the last modifier if it is a type.
  std::optional<Type> takeType();
  std::optional<Type> takeLastType();
  /// Consumes "v2", "v4" or "v8" and returns the number of elements, which is 1 if there is no such modifier.
  unsigned takeVector();
  Space takeSpace();
  /// Consumes modifiers that only advise caches; they do not change results.
  void takeCacheHints();
  /// Returns the mnemonic and the modifiers that are not consumed yet.
  std::string rest() const;

  size_t operandCount() const { return statement.operands.size(); }
  bool isVector(size_t index) const { return statement.operands[index].kind == Operand::Vector; }
  const Operand &operand(size_t index) const { return statement.operands[index]; }
  bool expectOperands(size_t count) { return expectOperands(count, count); }
  bool expectOperands(size_t minimum, size_t maximum);

  /// Set `row` to the row of an operand that the instruction reads (source) or writes (destination) as a value of type
  /// `type`. Fail if the register has another size.
  bool source(size_t index, Type type, Row &row) { return source(operand(index), type, row); }
  bool source(const Operand &operand, Type type, Row &row);
  bool destination(size_t index, Type type, Row &row) { return destination(operand(index), type, row); }
  bool destination(const Operand &operand, Type type, Row &row);
  /// Like the functions above, but the register may be larger than the type. `registerType` receives the type of the
  /// register.
  bool sourceAtLeast(const Operand &operand, Type type, Row &row, Type &registerType);
  bool destinationAtLeast(const Operand &operand, Type type, Row &row, Type &registerType);
  /// Sets `value` to an operand that must be a number from `minimum` to `maximum`.
  bool immediate(size_t index, int64_t &value, int64_t minimum, int64_t maximum);
  /// Decodes an operand that is an address. Sets `row` to the row of its register (see narrowAddress), or to noRow if
  /// the address is `offset` alone.
  bool address(size_t index, Space space, Row &row, int64_t &offset);
  bool parameter(size_t index, Row &row);
  bool target(size_t index, uint32_t &target);

  bool fail(const llvm::Twine &what);
  /// Set the function (or the kind of control flow) of the instruction. Fail if a modifier has not been consumed.
  bool finish(Execute execute);
  bool finish(Instruction::Control control);

  Instruction out;
  const Statement &statement;
  Layout &layout;
  std::string error;

private:
  bool wrongSize(const Operand &operand, Type registerType, Type type);

  llvm::StringRef mnemonic;
  llvm::SmallVector<llvm::StringRef, 8> modifiers;
};

} // namespace heddle::ptx

#endif // HEDDLE_PTX_DECODER_H
