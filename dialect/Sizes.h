//===- Sizes.h - sizes that each call provides ------------------*- C++ -*-===//
//
// Up to stage llvm a size in a range is represented by a placeholder: a number with a prime factor that occurs in no
// other extent of the model. It is larger than the tiles of lowerings if the model allows this. Types, maps and slices
// stay static, and the factors of an extent show which sizes it is a product of. A derived size (a sum of sizes, half
// of a size) has a placeholder as well (DerivedSizes.h). The generated code must not depend on placeholders. So code
// that needs to know how large an extent is queries this class and never compares placeholders. A model with ranges is
// compiled with two sets of placeholders. Constants that differ between the two results must be multiples of
// placeholders; code that reads the sizes of the call replaces them. Any other difference is an error
// (SubstituteSizes.h).
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
  /// The sizes of the module around `op`.
  explicit Sizes(mlir::Operation *op);

  bool empty() const { return ranges.empty(); }
  /// The sizes that each call provides.
  llvm::ArrayRef<SizeRange> all() const & { return ranges; }
  llvm::ArrayRef<SizeRange> all() const && = delete;
  /// The number of sizes, including derived ones.
  int64_t count() const { return int64_t(ranges.size() + others.size()); }
  /// Returns the number of the size with this name; nullopt if there is none.
  std::optional<int64_t> find(llvm::StringRef name) const;
  /// The placeholder, and the bounds, of the size with this number.
  int64_t placeholderFor(int64_t number) const;
  SizeBounds boundsOf(int64_t number) const;
  /// The size with this number as an expression of the sizes that each call provides.
  SizeExpression expressionOf(int64_t number) const;
  /// The ranges of the sizes that each call provides.
  SizeDomain domain() const;
  /// Returns the extent that an integer represents, usually a dimension of a static type: each placeholder that divides
  /// it becomes a size.
  Extent of(int64_t number) const;
  /// Returns the value of the size with this name, given the values of the sizes that a call provides; INT64_MAX if it
  /// is too large.
  int64_t at(llvm::StringRef name, llvm::ArrayRef<int64_t> values) const;
  /// Returns the value of an extent, given the values of the sizes that a call provides; INT64_MAX if it is too large.
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
