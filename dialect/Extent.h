//===- Extent.h - how long something is -------------------------*- C++ -*-===//
//
// The length of a dimension, how often a loop runs, how many tasks there are: a number, or what only the call knows, which
// is a product of sizes that lie in ranges (Sizes.h) or a value that code has computed. Lowerings and vectorisers hold
// this one type. They ask it for what is the same in all calls, and emit it where they need the length itself; what then
// becomes of a size is the target's.
//
// Nothing is computed with extents: what cuts them in parts makes code for that. An importer, which has no code yet,
// computes with lengths and decides by comparing them: it has expressions for that (Dim.h), and each becomes an extent
// when a number in a type stands for it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_EXTENT_H
#define HEDDLE_DIALECT_EXTENT_H

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

namespace heddle {

/// How long something is.
class Extent {
public:
  /// So long in all calls.
  Extent(int64_t number = 1) : stands(number), multiple(number), least(number), largest(number) {}
  /// `factor` times a product of sizes, one twice if it is squared, from `low` to `high`; in types `stands` is it. Of no
  /// sizes it is that number. The names are the module's.
  Extent(int64_t stands, int64_t factor, llvm::ArrayRef<llvm::StringRef> sizes, int64_t low, int64_t high)
      : stands(stands), multiple(factor), least(low), largest(high), names(sizes) {}
  /// An index that code computes, and no less than 0.
  Extent(mlir::Value value);
  /// A number, or such an index.
  Extent(mlir::OpFoldResult index);

  /// Whether it is the same in all calls.
  bool isFixed() const { return names.empty() && !atCall; }
  /// What it is, if it is fixed.
  int64_t number() const {
    assert(isFixed() && "only the call knows the number");
    return stands;
  }
  /// What it is in types, however it is known: the number, what stands for the product, or that it is dynamic.
  int64_t inTypes() const { return stands; }
  /// No call makes it less or more: the products of what each factor is at least and at most, INT64_MAX where that is too
  /// large or not known.
  int64_t low() const { return least; }
  int64_t high() const { return largest; }

  /// Of a number or a product: what it is times these sizes.
  int64_t factor() const { return multiple; }
  llvm::ArrayRef<llvm::StringRef> sizes() const { return names; }

  /// How many steps, the last of which may be shorter, cover it if it is fixed, how much of it whole ones cover, and what
  /// these leave.
  int64_t steps(int64_t step) const { return llvm::divideCeilSigned(number(), step); }
  int64_t wholeSteps(int64_t step) const { return number() - rest(step); }
  int64_t rest(int64_t step) const { return number() % step; }

  /// The number, or what it is in this call, made at `b`.
  mlir::OpFoldResult emit(mlir::OpBuilder &b, mlir::Location loc) const;
  /// The same as a value.
  mlir::Value emitValue(mlir::OpBuilder &b, mlir::Location loc) const;
  /// The same extent, made at `b` if only the call knows it: for code behind, which is not to make it again.
  Extent emitOnce(mlir::OpBuilder &b, mlir::Location loc) const;

private:
  int64_t stands, multiple, least, largest;
  llvm::SmallVector<llvm::StringRef> names;
  mlir::Value atCall; // null: the number, or the product
};

} // namespace heddle

#endif // HEDDLE_DIALECT_EXTENT_H
