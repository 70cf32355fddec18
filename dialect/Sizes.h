//===- Sizes.h - sizes that each call provides ------------------*- C++ -*-===//
//
// A size in a range is the length of a dimension that each call chooses between two limits. Up to stage llvm such a
// size is represented by a placeholder: a number with a prime factor that divides no other placeholder and no fixed
// extent of the model. Placeholders are larger than the tiles of lowerings if the model allows this. Types, maps and
// slices stay static, and the factors of an extent show which sizes it is a product of. A derived size (a sum of sizes,
// half of a size) has a placeholder as well (DerivedSizes.h).
//
// The generated code must not depend on the values of placeholders. Therefore a pass that needs to know how large an
// extent is queries the class Sizes and never compares placeholders. A model with ranges is compiled with two sets of
// placeholders. Constants that differ between the two modules must be multiples of placeholders, or such multiples plus
// a fixed number; they are replaced by code that reads the sizes of the call. Any other difference is an error, unless
// the comparison with one of two further sets succeeds (SIZES.md, SubstituteSizes.h).
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

/// The sizes of a module: those that each call provides, followed by the derived ones. A size's number is its position
/// in this list.
class Sizes {
public:
  /// The sizes of the module that contains `op`, or of `op` if it is a module. Empty if no module contains `op`.
  explicit Sizes(mlir::Operation *op);

  bool empty() const { return ranges.empty(); }
  /// The sizes that each call provides.
  llvm::ArrayRef<SizeRange> all() const & { return ranges; }
  llvm::ArrayRef<SizeRange> all() const && = delete;
  /// The number of sizes, including derived ones.
  int64_t count() const { return int64_t(ranges.size() + others.size()); }
  /// Returns the number of the size with this name; nullopt if there is none.
  std::optional<int64_t> find(llvm::StringRef name) const;
  /// The placeholder and the (inclusive) bounds of the size with this number.
  int64_t placeholderFor(int64_t number) const;
  SizeBounds boundsOf(int64_t number) const;
  /// The size with this number as an expression of the sizes that each call provides.
  SizeExpression expressionOf(int64_t number) const;
  /// The ranges of the sizes that each call provides.
  SizeDomain domain() const;
  /// Returns the extent that the integer `number`, usually a dimension of a static type, represents: the product of the
  /// sizes whose placeholders divide `number`, times the remaining factor.
  Extent of(int64_t number) const;
  /// Returns the value of the size with this name, which must exist. `values` are the values of the sizes that a call
  /// provides, in the order of all(). Returns INT64_MAX if the value does not fit into 64 bits.
  int64_t at(llvm::StringRef name, llvm::ArrayRef<int64_t> values) const;
  /// Returns the value of an extent, with the same `values`; INT64_MAX if it does not fit into 64 bits.
  int64_t at(const Extent &extent, llvm::ArrayRef<int64_t> values) const;

private:
  llvm::StringRef nameOf(int64_t number) const;

  SizeRanges ranges;
  // The derived sizes. Their expressions are built on demand, since objects of this class are created for single
  // queries.
  llvm::SmallVector<DerivedSizeNote> others;
};

} // namespace heddle

#endif // HEDDLE_DIALECT_SIZES_H
