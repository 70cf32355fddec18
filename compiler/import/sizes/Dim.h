//===- Dim.h - an integer of an import that sizes may be part of -*- C++ -*-===//
//
// An importer computes with extents and places as with integers. Where a size lies in a
// range such an integer is an expression of the sizes (SizeExpression.h), and what the
// importer asks of it is asked for the whole range: a comparison that is not the same for
// all sizes is no answer, and the import is refused (SizeScope.h). That is more than an
// Extent (Extent.h), which code cuts and emits and never computes with: a dimension becomes
// one when a number in a type stands for it (`numberOf`).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_SIZES_DIM_H
#define HEDDLE_IMPORT_SIZES_DIM_H

#include "SizeExpression.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace heddle {

/// A number, or an expression of the sizes of the current import. No conversion makes it a number: who needs one asks
/// `number`, and refuses where there is none.
class Dim {
public:
  Dim(int64_t number = 0) : known(number) {}
  Dim(SizeExpression expression);

  /// Where it is the same for all sizes.
  std::optional<int64_t> number() const { return expression ? std::nullopt : std::optional(known); }
  bool isFixed() const { return !expression; }
  SizeExpression asExpression() const { return expression ? *expression : SizeExpression(known); }
  /// The least and the largest that it can be.
  int64_t low() const;
  int64_t high() const;
  /// For people: "s floordiv 2".
  std::string text() const;

  friend Dim operator+(const Dim &a, const Dim &b);
  friend Dim operator-(const Dim &a, const Dim &b);
  friend Dim operator*(const Dim &a, const Dim &b);
  Dim operator-() const { return Dim(0) - *this; }
  Dim &operator+=(const Dim &other) { return *this = *this + other; }
  Dim &operator-=(const Dim &other) { return *this = *this - other; }
  Dim &operator*=(const Dim &other) { return *this = *this * other; }
  /// Rounded towards zero; `b` must not be 0 for any size.
  friend Dim operator/(const Dim &a, const Dim &b);
  friend Dim operator%(const Dim &a, const Dim &b);

  /// Decided for all sizes, or noted in the current scope as what is not.
  friend bool operator==(const Dim &a, const Dim &b);
  friend bool operator<(const Dim &a, const Dim &b);
  friend bool operator!=(const Dim &a, const Dim &b) { return !(a == b); }
  friend bool operator>(const Dim &a, const Dim &b) { return b < a; }
  friend bool operator<=(const Dim &a, const Dim &b) { return !(b < a); }
  friend bool operator>=(const Dim &a, const Dim &b) { return !(a < b); }

private:
  int64_t known = 0;
  std::shared_ptr<const SizeExpression> expression; // null: the number
};

/// As expressions where sizes decide.
Dim minimum(const Dim &a, const Dim &b);
Dim maximum(const Dim &a, const Dim &b);
inline Dim clamp(const Dim &value, const Dim &low, const Dim &high) { return minimum(maximum(value, low), high); }
/// `a` where `condition`, which is 1 or 0, is 1.
Dim select(const Dim &condition, const Dim &a, const Dim &b);
/// 1 or 0: a comparison that decides nothing here.
Dim isLess(const Dim &a, const Dim &b);
Dim isEqual(const Dim &a, const Dim &b);
/// Rounded down, and up; `b` must be positive for all sizes.
Dim floorDiv(const Dim &a, const Dim &b);
Dim ceilDiv(const Dim &a, const Dim &b);

/// a / b, where that has no rest for any size; none where that is not known.
std::optional<Dim> divideExactly(const Dim &a, const Dim &b);

using Dims = llvm::SmallVector<Dim>;

/// The product; 1 of none.
Dim product(llvm::ArrayRef<Dim> dims);

/// What a number of a type is, and the extents of a tensor; and what stands in a type for these.
Dim dimOf(int64_t number);
Dims dimsOf(mlir::ShapedType type);
int64_t numberOf(const Dim &dim);
llvm::SmallVector<int64_t> numbersOf(llvm::ArrayRef<Dim> dims);

/// The numbers, where all of them are such.
std::optional<llvm::SmallVector<int64_t>> fixedNumbers(llvm::ArrayRef<Dim> dims);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_DIM_H
