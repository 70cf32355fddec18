//===- Sizes.h - sizes that each call brings --------------------*- C++ -*-===//
//
// A size in a range is a number like any other up to stage llvm: a prime that stands for
// it, larger than any tile, in no other extent of the model. Types, maps and slices stay
// static, and an extent says by its factors which sizes it is a product of. Whoever asks
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
  llvm::ArrayRef<SizeRange> all() const & { return ranges; }
  llvm::ArrayRef<SizeRange> all() const && = delete;
  /// The number of the size of this name among all; none where there is no such size.
  std::optional<int64_t> find(llvm::StringRef name) const;
  /// What an extent of a static type, or another number, means.
  Extent of(int64_t number) const;

private:
  SizeRanges ranges;
};

} // namespace heddle

#endif // HEDDLE_DIALECT_SIZES_H
