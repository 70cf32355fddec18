//===- SizeScope.h - the sizes that an import computes with -----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_SIZESCOPE_H
#define HEDDLE_IMPORT_SIZES_SIZESCOPE_H

#include "Dim.h"
#include "SizeDomain.h"

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <string>
#include <vector>

namespace heddle {

/// A size in a range, as an import has it.
struct ScopedSize {
  std::string name;
  SizeBounds bounds;
  int64_t stands; // for it in types
};

/// An extent that is no product of sizes and a number: "s floordiv 2".
struct DerivedDim {
  SizeExpression expression;
  int64_t stands;    // what it is where sizes are what stands for them; of one that is not numbered yet 0
  std::string place; // the node that makes it first
};

/// How numbers for functions of sizes are drawn. Not all of them do for a model: x[-3:] begins at s - min(s, 3).
struct Drawing {
  int choice = 0;         // which of several that are possible
  bool isFarther = false; // a minimum near the larger operand, not below both
  int64_t shift = 0;      // a quotient is so much larger than it would be
};

/// While it lives, dimensions of this thread (Dim.h) are expressions of its sizes. Imports of fixed sizes need none:
/// without a scope every dimension is a number.
class SizeScope {
public:
  /// `stands`: numbers for functions of sizes, such as minima; others are drawn as they are needed.
  explicit SizeScope(std::vector<ScopedSize> sizes, std::map<SizeExpression, int64_t> stands = {}, Drawing drawing = {});
  ~SizeScope();
  SizeScope(const SizeScope &) = delete;
  SizeScope &operator=(const SizeScope &) = delete;

  static SizeScope *current();

  llvm::ArrayRef<ScopedSize> all() const { return sizes; }
  const SizeDomain &domain() const { return ranges; }
  llvm::SmallVector<llvm::StringRef> names() const;
  /// "past=3 new=1"
  std::string describe(llvm::ArrayRef<int64_t> values) const;

  /// What a number of a type is: a product of what stands for sizes and derived ones.
  Dim of(int64_t number) const;
  /// What stands for an expression in types. One that is not a product of known ones is derived from now on.
  int64_t standsFor(const SizeExpression &expression);
  llvm::ArrayRef<DerivedDim> derived() const { return others; }
  /// Those for which no number stands now, so that types are ambiguous.
  llvm::ArrayRef<DerivedDim> unnumbered() const { return wanting; }
  /// Notes that an expression, which is never negative, must not be so where sizes are what stands for them: types of MLIR
  /// are checked with these numbers.
  void requireNotNegative(const SizeExpression &expression);
  llvm::ArrayRef<SizeExpression> required() const { return notNegative; }
  /// Whether one of these is negative.
  bool isViolated() const { return violated; }
  /// What derives dimensions from now on.
  void setPlace(std::string name) { place = std::move(name); }
  /// Numbers of functions that were not evaluated.
  const std::map<SizeExpression, int64_t> &drawn() const { return numbers; }
  /// What an expression is where sizes, and functions that have one of their own, are the numbers that stand for them.
  std::optional<int64_t> atStands(const SizeExpression &expression);

  /// Whether an expression is 0, or negative, at all sizes; where it is not the same for all of them, at what stands for
  /// them, which is noted.
  bool decide(const SizeExpression &expression, bool isZero);
  /// Notes why something cannot be said of all sizes.
  void refuse(std::string why);
  /// What was noted first since it was last asked; none where nothing was.
  std::optional<std::string> takeRefusal();

private:
  int64_t standsForFactor(const SizeExpression &expression);
  int64_t draw(SizeCode kind, int64_t a, int64_t b) const;

  std::vector<ScopedSize> sizes;
  SizeDomain ranges;
  std::vector<DerivedDim> others;
  std::map<SizeExpression, int64_t> numbers; // of functions
  std::map<std::string, bool> decided;
  std::optional<std::string> refusal;
  std::vector<DerivedDim> wanting;
  std::vector<SizeExpression> notNegative;
  bool violated = false;
  std::string place;
  Drawing drawing;
  SizeScope *before;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_SIZESCOPE_H
