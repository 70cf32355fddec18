//===- Sizes.h - sizes that each call brings --------------------*- C++ -*-===//
//
// A size in a range is a number like any other up to stage llvm: a prime that stands for
// it, larger than any tile, in no other extent of the model. Types, maps and slices stay
// static, and an extent says by its factors which sizes it is a product of. A sum of sizes
// is a size as well, if what stands for it has a factor of its own. Whoever asks
// how large something is asks here, and never compares the number itself: the code that
// is made must not depend on the prime. A range is compiled twice, with other primes; what
// differs at the end has sizes as factors, and gets these, or is refused (OpenSizes.h).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_SIZES_H
#define HEDDLE_DIALECT_SIZES_H

#include "NoteKinds.h"

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// How long something is: a number, or `factor` times sizes that each call brings.
struct Extent {
  int64_t number = 1; // as it stands in types
  int64_t factor = 1;
  llvm::SmallVector<llvm::StringRef> sizes; // of the product; one twice if it is squared
  int64_t low = 1, high = 1;                // the least and the largest that it can be

  bool isFixed() const { return sizes.empty(); }
  /// `number`, or the product, made at `b`.
  mlir::OpFoldResult emit(mlir::OpBuilder &b, mlir::Location loc) const;
};

/// The sizes of a module.
class Sizes {
public:
  /// Those of the module around `op`.
  explicit Sizes(mlir::Operation *op);

  bool empty() const { return ranges.empty(); }
  /// Those that a call brings.
  llvm::ArrayRef<SizeRange> all() const & { return ranges; }
  llvm::ArrayRef<SizeRange> all() const && = delete;
  /// Sums of these.
  llvm::ArrayRef<SizeSum> allSums() const & { return sums; }
  llvm::ArrayRef<SizeSum> allSums() const && = delete;
  /// How many there are, sums included.
  int64_t count() const { return int64_t(ranges.size() + sums.size()); }
  /// The number of the size of this name among all, behind which are the sums; none where there is no such size.
  std::optional<int64_t> find(llvm::StringRef name) const;
  /// The sizes that the size or sum of a name is the sum of.
  llvm::ArrayRef<llvm::StringRef> termsOf(llvm::StringRef name) const;
  /// What an extent of a static type, or another number, means.
  Extent of(int64_t number) const;
  /// What the size or sum of a name is where those that a call brings are `values`; INT64_MAX where it is too large.
  int64_t at(llvm::StringRef name, llvm::ArrayRef<int64_t> values) const;
  /// The same of an extent.
  int64_t at(const Extent &extent, llvm::ArrayRef<int64_t> values) const;

private:
  int64_t at(const SizeSum &sum, llvm::ArrayRef<int64_t> values) const;

  SizeRanges ranges;
  SizeSums sums;
};

} // namespace heddle

#endif // HEDDLE_DIALECT_SIZES_H
