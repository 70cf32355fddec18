//===- SizeScope.h - the scope of sizes of an import ------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_SIZESCOPE_H
#define HEDDLE_IMPORT_SIZES_SIZESCOPE_H

#include "Dim.h"
#include "SizeDomain.h"

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <string>
#include <vector>

namespace heddle {

/// A size in a range during an import.
struct ScopedSize {
  std::string name;
  SizeBounds bounds;
  int64_t placeholder;   // the placeholder in types
  bool isHidden = false; // whether the size exists only in the import (HiddenSize.h) and not in compiled code
};

/// The minimum of placeholders. Each placeholder has a factor that no other placeholder has, and smaller factors are
/// common in other extents.
constexpr int64_t minPlaceholder = 5;
/// The maximum of the placeholders that an .mlir file may use for its sizes.
constexpr int64_t maxPlaceholder = 1 << 16;

/// An extent or offset that is not a product of a number and sizes, such as "s floordiv 2".
struct DerivedDim {
  SizeExpression expression;
  int64_t placeholder; // the placeholder in types
  SizeBounds bounds;   // the minimum and the maximum of the extent
  std::string place;   // the first operation that computes the extent, for error messages (setPlace)
  // Whether the placeholder must be the sum of the terms' placeholders, even if the import is unchecked.
  bool adds = false;
};

/// Placeholders that an import has chosen, and numbers that a placeholder must not be.
struct GivenPlaceholders {
  /// The placeholders of functions of sizes, such as minima, of products with a comparison, and of independent
  /// expressions (Monomials.h).
  std::map<SizeExpression, int64_t> functions = {};
  /// Extents and offsets of the model that depend on no size. The placeholder of a derived size differs from these
  /// numbers and has a factor that they do not have; otherwise an extent of the model would be mistaken for the derived
  /// size.
  std::vector<int64_t> taken = {};
};

/// While a scope exists, dimensions of its thread (Dim.h) are expressions of the scope's sizes. An import with fixed
/// sizes needs no scope: every dimension is then a number.
class SizeScope {
public:
  /// If `isUnchecked`, required expressions may be negative at the placeholders, and the placeholder of a derived size
  /// need not be the value of its expression at the other placeholders. In such an import, the importer emits lookups
  /// of single elements where slices would violate MLIR's conditions.
  explicit SizeScope(std::vector<ScopedSize> sizes, GivenPlaceholders chosen = {}, bool isUnchecked = false,
                     std::optional<SizeLimit> limit = std::nullopt);
  ~SizeScope();
  SizeScope(const SizeScope &) = delete;
  SizeScope &operator=(const SizeScope &) = delete;

  /// Returns the innermost scope of this thread: the latest scope that still exists; null if there is none.
  static SizeScope *current();

  llvm::ArrayRef<ScopedSize> all() const { return sizes; }
  const SizeDomain &domain() const { return ranges; }
  llvm::SmallVector<llvm::StringRef> names() const;
  /// Returns sizes as text, such as "past=3 new=1".
  std::string describe(llvm::ArrayRef<int64_t> values) const;
  /// Returns text such as ", which is 3 at past=1 new=2 and 4 at past=2 new=2" if it finds two combinations of sizes
  /// with different values of the expression; otherwise "".
  std::string example(const SizeExpression &expression) const;
  /// Returns text such as ": it is 0 at past=0, not at past=1" if it finds sizes at which the expression is 0;
  /// otherwise "". The text ends before the comma if no sizes are found at which the expression is not 0.
  std::string exampleOfZero(const SizeExpression &expression) const;

  /// Returns a simpler expression with the same value at all sizes; a number if the value is constant.
  SizeExpression simplify(const SizeExpression &expression);

  /// Returns the dimension that a number in a type represents: a product of a number, sizes and derived sizes.
  Dim of(int64_t number) const;
  /// Returns the number that represents an expression in types. An expression that is not a product of known
  /// expressions becomes a derived size.
  int64_t placeholderFor(const SizeExpression &expression);
  llvm::ArrayRef<DerivedDim> derived() const { return others; }
  /// Whether some placeholders are not suitable. Types in the module are then inconsistent: the import has only
  /// determined which placeholders are needed, and must be repeated with them.
  bool needsOtherPlaceholders() const { return hasUnsuitable; }
  /// Requires that an expression is not negative at the placeholders, for example because MLIR verifies types that
  /// contain placeholders.
  void requireNotNegative(const SizeExpression &expression);
  /// Returns the expressions that requireNotNegative was called with.
  llvm::ArrayRef<SizeExpression> required() const { return notNegative; }
  /// Requires that the placeholder of a sum is the sum of its terms' placeholders, even in an unchecked import. Returns
  /// false if this is impossible, or if it was required before and still does not hold.
  bool requireSum(const SizeExpression &expression);
  /// Sets the name of the operation that is imported now. It becomes DerivedDim::place of later derived sizes.
  void setPlace(std::string name) { place = std::move(name); }
  /// The value of an expression at the placeholders of sizes and functions; nothing if a function has no placeholder.
  std::optional<int64_t> atPlaceholders(const SizeExpression &expression) const;

  /// Whether an expression is 0 (if `isZero`) or negative (otherwise) at all sizes. If the result differs between sizes
  /// or is unknown, calls `refuse` and returns the result at the placeholders.
  bool decide(const SizeExpression &expression, bool isZero);
  /// Expressions that were tested for 0 with a result that differs between sizes or is unknown, in the order of the
  /// tests.
  llvm::ArrayRef<SizeExpression> undecidedZeros() const { return zeros; }
  /// Records why the model cannot be imported for all sizes. Only the first record is kept.
  void refuse(std::string why);
  /// Returns and clears the record; nothing if there is none.
  std::optional<std::string> takeRefusal();

private:
  int64_t findNumber(const SizeExpression &expression);
  int64_t placeholderForFactor(const SizeExpression &expression);
  std::optional<int64_t> findKnown(const SizeExpression &expression, SizeBounds bounds);
  int64_t derive(const SizeExpression &expression, SizeBounds bounds, int64_t number);
  int64_t independentPlaceholder();

  std::vector<ScopedSize> sizes;
  SizeDomain ranges;
  std::vector<DerivedDim> others; // the result of derived()
  GivenPlaceholders given;
  std::map<SizeExpression, int64_t> placeholders;  // placeholders that were already computed, by expression
  std::map<SizeExpression, SizeExpression> simple; // results of simplify(), by argument
  std::map<std::string, bool> decided;             // results of decide(), by the text of the question
  std::vector<SizeExpression> zeros;               // the result of undecidedZeros()
  std::optional<std::string> refusal;              // the result of takeRefusal()
  bool hasUnsuitable = false;                      // the result of needsOtherPlaceholders()
  bool isUnchecked;
  std::vector<SizeExpression> notNegative; // the result of required()
  std::string place;                       // the argument of the last call of setPlace()
  SizeScope *before;                       // the scope that was current before this scope, or null
};

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_SIZESCOPE_H
