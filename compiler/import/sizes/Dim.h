//===- Dim.h - integers that may depend on sizes ----------------*- C++ -*-===//
//
// An importer computes with extents and positions as if they were integers. If a size lies in a range, such an integer
// is an expression of the sizes (SizeExpression.h), and conditions on it must hold for the whole range: if the result
// of a comparison is not the same for all sizes, the import is refused (SizeScope.h). Lowerings use an Extent
// (Extent.h) instead, because they only tile extents and emit loops. `numberOf` converts a dimension to the number that
// represents it in types; lowerings create an Extent from this number.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_SIZES_DIM_H
#define HEDDLE_IMPORT_SIZES_DIM_H

#include "SizeExpression.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <set>

namespace heddle {

/// A number, or an expression of the sizes of the current import. There is no conversion to a number: code that needs a
/// number calls `number` and refuses the model if it returns nothing.
class Dim {
public:
  Dim(int64_t number = 0) : known(number) {}
  Dim(SizeExpression expression);

  /// Returns the value if it is the same for all sizes; otherwise nothing.
  std::optional<int64_t> number() const { return expression ? std::nullopt : std::optional(known); }
  bool isFixed() const { return !expression; }
  SizeExpression asExpression() const { return expression ? *expression : SizeExpression(known); }
  /// The minimum and the maximum over all sizes; INT64_MIN and INT64_MAX if they are unknown.
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

  /// Compares dimensions. If the result is not the same for all sizes, or is unknown, the comparison records this in
  /// the current scope (SizeScope::refuse), and the import fails.
  friend bool operator==(const Dim &a, const Dim &b);
  friend bool operator<(const Dim &a, const Dim &b);
  friend bool operator!=(const Dim &a, const Dim &b) { return !(a == b); }
  friend bool operator>(const Dim &a, const Dim &b) { return b < a; }
  friend bool operator<=(const Dim &a, const Dim &b) { return !(b < a); }
  friend bool operator>=(const Dim &a, const Dim &b) { return !(a < b); }

private:
  int64_t known = 0;                                // the value, if `expression` is null
  std::shared_ptr<const SizeExpression> expression; // null for a number
};

/// The minimum and the maximum of two dimensions.
Dim minimum(const Dim &a, const Dim &b);
Dim maximum(const Dim &a, const Dim &b);
inline Dim clamp(const Dim &value, const Dim &low, const Dim &high) { return minimum(maximum(value, low), high); }
/// Returns `a` if `condition` is 1, and `b` if it is 0.
Dim select(const Dim &condition, const Dim &a, const Dim &b);
/// Returns a comparison as an expression with the value 1 or 0, which may differ between sizes.
Dim isLess(const Dim &a, const Dim &b);
Dim isEqual(const Dim &a, const Dim &b);
/// Division rounded down, and up; `b` must be positive at all sizes.
Dim floorDiv(const Dim &a, const Dim &b);
Dim ceilDiv(const Dim &a, const Dim &b);

/// Returns a / b if the division has no remainder at any size. Returns nothing if it has a remainder at some size, or
/// if this is unknown.
std::optional<Dim> divideExactly(const Dim &a, const Dim &b);

/// The shape of a tensor.
using SymbolicShape = llvm::SmallVector<Dim>;

/// The product; 1 if there are no factors.
Dim product(llvm::ArrayRef<Dim> dims);

/// `dimOf` converts a number in a type to the dimension that it represents, and `dimsOf` converts the shape of a
/// tensor. `numberOf` and `numbersOf` return the numbers that represent dimensions in types: their values or their
/// placeholders.
Dim dimOf(int64_t number);
SymbolicShape dimsOf(mlir::ShapedType type);
int64_t numberOf(const Dim &dim);
llvm::SmallVector<int64_t> numbersOf(llvm::ArrayRef<Dim> dims);

/// While an object of this class exists, it records the arguments of `dimOf` in its thread: these are the extents that
/// an import reads, including the extents of tensors that the import removes later. If several objects exist, only the
/// latest one records.
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
  SeenExtents *before; // the previous recording object of the thread, or null
};

/// Returns the dimensions as numbers; nothing if any of them depends on sizes.
std::optional<llvm::SmallVector<int64_t>> fixedNumbers(llvm::ArrayRef<Dim> dims);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_DIM_H
