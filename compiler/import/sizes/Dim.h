//===- Dim.h - integers that may depend on sizes ----------------*- C++ -*-===//
//
// An importer computes with extents and positions as with integers. If a size lies in a range, such an integer is an
// expression of the sizes (SizeExpression.h), and conditions on it must hold for the whole range: a comparison whose
// result is not the same for all sizes has no answer, and the import is refused (SizeScope.h). An Extent (Extent.h), in
// contrast, is used by code that only tiles and emits loops and never computes with it. A dimension becomes an Extent
// when a placeholder represents it in a type (`numberOf`).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_SIZES_DIM_H
#define HEDDLE_IMPORT_SIZES_DIM_H

#include "SizeExpression.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <set>

namespace heddle {

/// A number, or an expression of the sizes of the current import. There is no conversion to a number: code that needs
/// one calls `number` and refuses the model if there is none.
class Dim {
public:
  Dim(int64_t number = 0) : known(number) {}
  Dim(SizeExpression expression);

  /// The value if it is the same for all sizes.
  std::optional<int64_t> number() const { return expression ? std::nullopt : std::optional(known); }
  bool isFixed() const { return !expression; }
  SizeExpression asExpression() const { return expression ? *expression : SizeExpression(known); }
  /// The minimum and the maximum over all sizes.
  int64_t low() const;
  int64_t high() const;
  /// Text for messages, such as "s floordiv 2".
  std::string text() const;

  friend Dim operator+(const Dim &a, const Dim &b);
  friend Dim operator-(const Dim &a, const Dim &b);
  friend Dim operator*(const Dim &a, const Dim &b);
  Dim operator-() const { return Dim(0) - *this; }
  Dim &operator+=(const Dim &other) { return *this = *this + other; }
  Dim &operator-=(const Dim &other) { return *this = *this - other; }
  Dim &operator*=(const Dim &other) { return *this = *this * other; }
  /// Division rounds towards zero; `b` must not be 0 at any size.
  friend Dim operator/(const Dim &a, const Dim &b);
  friend Dim operator%(const Dim &a, const Dim &b);

  /// Comparisons that are the same for all sizes. If one is not, this is recorded in the current scope.
  friend bool operator==(const Dim &a, const Dim &b);
  friend bool operator<(const Dim &a, const Dim &b);
  friend bool operator!=(const Dim &a, const Dim &b) { return !(a == b); }
  friend bool operator>(const Dim &a, const Dim &b) { return b < a; }
  friend bool operator<=(const Dim &a, const Dim &b) { return !(b < a); }
  friend bool operator>=(const Dim &a, const Dim &b) { return !(a < b); }

private:
  int64_t known = 0;
  std::shared_ptr<const SizeExpression> expression; // null for a number
};

/// The minimum and the maximum; they are expressions if the result depends on sizes.
Dim minimum(const Dim &a, const Dim &b);
Dim maximum(const Dim &a, const Dim &b);
inline Dim clamp(const Dim &value, const Dim &low, const Dim &high) { return minimum(maximum(value, low), high); }
/// `a` if `condition`, which is 1 or 0, is 1, else `b`.
Dim select(const Dim &condition, const Dim &a, const Dim &b);
/// A comparison as an expression with the value 1 or 0. It need not be the same for all sizes.
Dim isLess(const Dim &a, const Dim &b);
Dim isEqual(const Dim &a, const Dim &b);
/// Division rounded down, and up; `b` must be positive at all sizes.
Dim floorDiv(const Dim &a, const Dim &b);
Dim ceilDiv(const Dim &a, const Dim &b);

/// a / b if it has no remainder at any size; nothing if this is not known.
std::optional<Dim> divideExactly(const Dim &a, const Dim &b);

using SymbolicShape = llvm::SmallVector<Dim>;

/// The product; 1 if there are no factors.
Dim product(llvm::ArrayRef<Dim> dims);

/// `dimOf` converts a number in a type to a dimension and `dimsOf` the shape of a tensor; `numberOf` and `numbersOf`
/// return the numbers or placeholders that represent dimensions in types.
Dim dimOf(int64_t number);
SymbolicShape dimsOf(mlir::ShapedType type);
int64_t numberOf(const Dim &dim);
llvm::SmallVector<int64_t> numbersOf(llvm::ArrayRef<Dim> dims);

/// Records the arguments of `dimOf` in this thread during its lifetime: the extents that an import meets, also of
/// tensors that are not left in the module.
class SeenExtents {
public:
  SeenExtents();
  ~SeenExtents();
  SeenExtents(const SeenExtents &) = delete;
  SeenExtents &operator=(const SeenExtents &) = delete;

  const std::set<int64_t> &get() const { return numbers; }

private:
  friend Dim dimOf(int64_t number);
  std::set<int64_t> numbers;
  SeenExtents *before;
};

/// The dimensions as numbers if none of them depends on sizes.
std::optional<llvm::SmallVector<int64_t>> fixedNumbers(llvm::ArrayRef<Dim> dims);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_DIM_H
