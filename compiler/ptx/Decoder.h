//===- Decoder.h - what an instruction is decoded with ----------*- C++ -*-===//

#ifndef HEDDLE_PTX_DECODER_H
#define HEDDLE_PTX_DECODER_H

#include "Program.h"

#include "llvm/ADT/DenseMap.h"

namespace heddle::ptx {

/// What a kernel's instructions have in common while they are decoded: where rows and variables lie.
class Layout {
public:
  Layout(const Module &module, Program &program);

  struct Slot {
    Row row;
    Type type;
  };
  /// The place of a register, which is made where it is first named; none where it is not declared.
  std::optional<Slot> find(llvm::StringRef name);
  /// A row that has this number in all lanes; of a predicate, 0 or not.
  Row constant(uint64_t value, Type type);
  /// Nobody reads it.
  Row sink(Type type);
  /// The address of a variable or a parameter's row.
  std::optional<uint64_t> addressOf(llvm::StringRef name, Space &space) const;
  std::optional<Row> parameter(llvm::StringRef name) const;
  /// An instruction's number, of a label.
  std::optional<unsigned> label(llvm::StringRef name) const;

private:
  Row allocate(Type type);
  void place(const std::vector<Variable> &variables);

  Program &program;
  llvm::StringMap<Slot> slots;
  llvm::DenseMap<std::pair<uint64_t, unsigned>, Row> constants;
};

/// One instruction. Functions that return false have said what is wrong.
class Decoder {
public:
  Decoder(Layout &layout, const Statement &statement);

  /// Consumes a modifier, wherever it is: "sync" of "shfl.sync.bfly.b32".
  bool take(llvm::StringRef modifier);
  /// Consumes the first or the last modifier that is a type.
  std::optional<Type> takeType();
  std::optional<Type> takeLastType();
  /// "v2", "v4", "v8"; 1 where there is none.
  unsigned takeVector();
  Space takeSpace();
  /// What is for caches alone.
  void takeCacheHints();
  /// The mnemonic and the modifiers that are left.
  std::string rest() const;

  size_t operandCount() const { return statement.operands.size(); }
  bool isVector(size_t index) const { return statement.operands[index].kind == Operand::Vector; }
  const Operand &operand(size_t index) const { return statement.operands[index]; }
  bool expectOperands(size_t count) { return expectOperands(count, count); }
  bool expectOperands(size_t least, size_t most);

  /// The row of an operand that is read as this type, or written.
  bool source(size_t index, Type type, Row &row) { return source(operand(index), type, row); }
  bool source(const Operand &operand, Type type, Row &row);
  bool destination(size_t index, Type type, Row &row) { return destination(operand(index), type, row); }
  bool destination(const Operand &operand, Type type, Row &row);
  /// The same of registers that may be larger; `registerType` is theirs.
  bool wideSource(const Operand &operand, Type type, Row &row, Type &registerType);
  bool wideDestination(const Operand &operand, Type type, Row &row, Type &registerType);
  bool immediate(size_t index, int64_t &value, int64_t least, int64_t most);
  bool address(size_t index, Space space, Row &row, int64_t &offset);
  bool parameter(size_t index, Row &row);
  bool target(size_t index, uint32_t &target);

  bool fail(const llvm::Twine &what);
  /// All modifiers must have been taken.
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
