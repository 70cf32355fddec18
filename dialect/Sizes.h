//===- Sizes.h - sizes that each call brings --------------------*- C++ -*-===//
//
// A size in a range is a number like any other up to stage llvm: one that has a prime factor
// of its own, in no other extent of the model. It stands for the size, and is larger than
// tiles where the model leaves room for that. Types, maps and slices stay static, and an
// extent says by its factors which sizes it is a product of. What is derived from sizes (a
// sum of them, half of one) is a size as well, if what stands for it has a factor of its
// own (DerivedSizes.h). Whoever asks how large something is asks here, and never compares
// the number itself: the code that is made must not depend on it. A range is compiled twice,
// with other numbers; what differs at the end has sizes as factors, and gets these, or is
// refused (OpenSizes.h).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_SIZES_H
#define HEDDLE_DIALECT_SIZES_H

#include "Extent.h"
#include "NoteKinds.h"

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

struct SizeBounds;
class SizeDomain;
class SizeExpression;

/// The sizes of a module.
class Sizes {
public:
  /// Those of the module around `op`.
  explicit Sizes(mlir::Operation *op);

  bool empty() const { return ranges.empty(); }
  /// Those that a call brings.
  llvm::ArrayRef<SizeRange> all() const & { return ranges; }
  llvm::ArrayRef<SizeRange> all() const && = delete;
  /// How many there are, those that are derived included.
  int64_t count() const { return int64_t(ranges.size() + others.size()); }
  /// The number of the size of this name among all, behind which are those that are derived; none where there is no such
  /// size.
  std::optional<int64_t> find(llvm::StringRef name) const;
  /// What stands for the size of this number, and what it can be.
  int64_t standsFor(int64_t number) const;
  SizeBounds boundsOf(int64_t number) const;
  /// What the size of this number is, of those that a call brings.
  SizeExpression expressionOf(int64_t number) const;
  /// Those that a call brings, and their ranges.
  SizeDomain domain() const;
  /// What an extent of a static type, or another number, means.
  Extent of(int64_t number) const;
  /// What the size of a name is where those that a call brings are `values`; INT64_MAX where it is too large.
  int64_t at(llvm::StringRef name, llvm::ArrayRef<int64_t> values) const;
  /// The same of an extent.
  int64_t at(const Extent &extent, llvm::ArrayRef<int64_t> values) const;

private:
  llvm::StringRef nameOf(int64_t number) const;

  SizeRanges ranges;
  llvm::SmallVector<DerivedSizeNote> others; // expressions are made when somebody asks: this is made for each question
};

} // namespace heddle

#endif // HEDDLE_DIALECT_SIZES_H
