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
  int64_t stands;        // for it in types
  bool isHidden = false; // of no call (HiddenSize.h): what is compiled does not have it
};

/// No smaller number stands for anything: very small factors are shared by too much.
constexpr int64_t leastStands = 5;

/// An extent that is no product of sizes and a number: "s floordiv 2".
struct DerivedDim {
  SizeExpression expression;
  int64_t stands;    // for it in types
  SizeBounds bounds; // the least and the largest
  std::string place; // the node that makes it first
  bool adds = false; // where numbers are loose as well it stands for a sum that is one of numbers
};

/// While it lives, dimensions of this thread (Dim.h) are expressions of its sizes. Imports of fixed sizes need none:
/// without a scope every dimension is a number.
class SizeScope {
public:
  /// `stands`: numbers for functions of sizes, such as minima, for products that have a comparison, and for what stands
  /// alone (Monomials.h). Where it is loose, what is required of numbers need not hold: elements are looked up one by
  /// one instead.
  explicit SizeScope(std::vector<ScopedSize> sizes, std::map<SizeExpression, int64_t> stands = {},
                     bool isLoose = false, std::optional<SizeLimit> limit = std::nullopt);
  ~SizeScope();
  SizeScope(const SizeScope &) = delete;
  SizeScope &operator=(const SizeScope &) = delete;

  static SizeScope *current();

  llvm::ArrayRef<ScopedSize> all() const { return sizes; }
  const SizeDomain &domain() const { return ranges; }
  llvm::SmallVector<llvm::StringRef> names() const;
  /// "past=3 new=1"
  std::string describe(llvm::ArrayRef<int64_t> values) const;
  /// ", which is 3 at past=1 new=2 and 4 at past=2 new=2", where two sizes are found at which an expression differs.
  std::string example(const SizeExpression &expression) const;
  /// ": it is at past=0, not at past=1", where such sizes are found.
  std::string exampleOfZero(const SizeExpression &expression) const;

  /// The same for all sizes, simpler; the number that it is everywhere.
  SizeExpression simplify(const SizeExpression &expression);

  /// What a number of a type is: a product of what stands for sizes and derived ones.
  Dim of(int64_t number) const;
  /// What stands for an expression in types. One that is not a product of known ones is derived from now on.
  int64_t standsFor(const SizeExpression &expression);
  llvm::ArrayRef<DerivedDim> derived() const { return others; }
  /// Whether numbers that stand for something are not those that it has to have, so that types do not fit together:
  /// what is imported says which others are needed, and is of no other use.
  bool wantsOthers() const { return wanting; }
  /// Notes that an expression, which is never negative, must not be so where sizes are what stands for them: types of MLIR
  /// are checked with these numbers.
  void requireNotNegative(const SizeExpression &expression);
  llvm::ArrayRef<SizeExpression> required() const { return notNegative; }
  /// Notes that the number for a sum has to be that of the numbers for its terms even where they are loose. False where
  /// that cannot be asked for, or was, and it is not.
  bool requireSum(const SizeExpression &expression);
  /// What derives dimensions from now on.
  void setPlace(std::string name) { place = std::move(name); }
  /// What an expression is where sizes and functions of them are the numbers that stand for these; none where there is
  /// none for a function.
  std::optional<int64_t> atStands(const SizeExpression &expression) const;

  /// Whether an expression is 0, or negative, at all sizes; where it is not the same for all of them, at what stands for
  /// them, which is noted.
  bool decide(const SizeExpression &expression, bool isZero);
  /// Expressions that are 0 at some sizes and not at others, or not known to be, of which it was asked whether they are; in
  /// this order.
  llvm::ArrayRef<SizeExpression> undecidedZeros() const { return zeros; }
  /// Notes why something cannot be said of all sizes.
  void refuse(std::string why);
  /// What was noted first since it was last asked; none where nothing was.
  std::optional<std::string> takeRefusal();

private:
  int64_t findNumber(const SizeExpression &expression);
  int64_t standsForFactor(const SizeExpression &expression);
  std::optional<int64_t> findKnown(const SizeExpression &expression, SizeBounds bounds);
  int64_t derive(const SizeExpression &expression, SizeBounds bounds, int64_t number);
  int64_t placeholder();

  std::vector<ScopedSize> sizes;
  SizeDomain ranges;
  std::vector<DerivedDim> others;
  std::map<SizeExpression, int64_t> numbers; // of functions, and products with comparisons
  std::map<SizeExpression, int64_t> asked;   // what stands for these
  std::map<SizeExpression, SizeExpression> simple;
  std::map<std::string, bool> decided;
  std::vector<SizeExpression> zeros;
  std::optional<std::string> refusal;
  bool wanting = false;
  bool isLoose;
  std::vector<SizeExpression> notNegative;
  std::string place;
  SizeScope *before;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_SIZESCOPE_H
