//===- SizeEquations.cpp - equations between dimensions -------------------===//

#include "SizeEquations.h"

#include "Sums.h"
#include "ChoosePlaceholders.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace heddle;

/// The range that is assumed for a dimension whose size is not given.
static constexpr SizeBounds unknown = {1, int64_t(1) << 20};

/// Returns a short range that contains a given size. In this range, the size is a symbol in sums, not a number. A
/// dimension of extent 1 is broadcast, so the range around 1 contains no other size, and all other ranges exclude 1.
/// The given size is the upper bound if possible, since the model might not support more positions.
static SizeBounds around(int64_t size) {
  return size < 2 ? SizeBounds{size, size} : size == 2 ? SizeBounds{2, 3} : SizeBounds{size - 1, size};
}

/// Solves the equation `zero` = 0 for the size with the index `size` in `sizes`. Returns this size as a sum of other
/// sizes and a number; nothing if there is no such solution.
static std::optional<DimSum> solve(const SizeExpression &zero, unsigned size, ArrayRef<ScopedSize> sizes) {
  auto valueWith = [&](const SizeExpression &expression, unsigned which, int64_t value) {
    SmallVector<SizeExpression> values;
    for (unsigned i = 0; i < sizes.size(); ++i)
      values.push_back(i == which ? SizeExpression(value) : SizeExpression::size(i));
    return expression.withSizes(values);
  };
  /// Returns the coefficient of a size if the size occurs only in one linear term.
  auto countOf = [&](const SizeExpression &expression, unsigned which) -> std::optional<int64_t> {
    SizeExpression count = valueWith(expression, which, 1) - valueWith(expression, which, 0);
    bool isTerm = expression == valueWith(expression, which, 0) + count * SizeExpression::size(which);
    return isTerm ? count.number() : std::nullopt;
  };
  std::optional<int64_t> sign = countOf(zero, size);
  if (!sign || std::abs(*sign) != 1)
    return std::nullopt;
  SizeExpression rest = valueWith(zero, size, 0) * SizeExpression(-*sign);
  DimSum sum;
  for (unsigned term : rest.sizes()) {
    std::optional<int64_t> count = countOf(rest, term);
    if (!count || *count < 1)
      return std::nullopt;
    sum.terms.insert(sum.terms.end(), size_t(*count), sizes[term].name);
    rest = valueWith(rest, term, 0);
  }
  std::optional<int64_t> plus = rest.number();
  if (!plus || *plus < 0 || sum.terms.empty())
    return std::nullopt;
  sum.plus = *plus;
  return sum;
}

namespace {
/// A dimension whose size is not given, and the sum to which it must be equal.
struct Equation {
  std::string name; // the name of the dimension
  DimSum is;        // the sum
};
} // namespace

/// Imports the model with the options `probe` and with placeholders for `sizes`. Returns the first equation that the
/// import requires and that contains exactly one size that is not given. The first `given` elements of `sizes` are the
/// given sizes.
static std::optional<Equation> findEquation(MLIRContext &context, std::vector<ScopedSize> sizes, size_t given,
                                            ImportTask probe,
                                            function_ref<FailureOr<Model>(const ImportTask &)> import) {
  std::vector<Placeholders> placeholders = choosePlaceholders(sizes, {}, {}, {}, /*isUnchecked=*/false, 1);
  if (placeholders.empty())
    return std::nullopt;
  for (auto [size, number] : llvm::zip_equal(sizes, placeholders.front().sizes)) {
    size.placeholder = number;
    probe.dims[size.name] = number;
    probe.bounds[size.name] = {size.bounds.low, size.bounds.high};
    probe.mayBeEmpty |= size.bounds.low == 0;
  }
  SizeScope scope(sizes, {placeholders.front().functions});
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  (void)import(probe); // the import fails, because the equation does not hold yet
  for (const SizeExpression &zero : scope.undecidedZeros())
    if (llvm::count_if(zero.sizes(), [&](unsigned size) { return size >= given; }) == 1)
      if (std::optional<DimSum> is = solve(zero, zero.sizes().back(), sizes))
        return Equation{sizes[zero.sizes().back()].name, *is};
  return std::nullopt;
}

llvm::StringMap<std::string> heddle::findEquations(MLIRContext &context, ArrayRef<OpenDim> open,
                                                   const ImportTask &options,
                                                   function_ref<FailureOr<Model>(const ImportTask &)> import) {
  ImportTask probe = options;
  probe.result = nullptr;
  probe.ranges.clear();
  probe.dims.clear();
  std::vector<ScopedSize> sizes;
  for (const DimRange &range : options.ranges)
    sizes.push_back({range.name, {range.low, range.high}, 0});
  for (StringRef name : options.dims.keys())
    if (int64_t size = options.dims.lookup(name)) {
      sizes.push_back({name.str(), around(size), 0});
    } else { // a dimension without elements cannot be a term of a sum
      probe.dims[name] = 0;
      probe.bounds[name] = {0, 0};
    }
  llvm::sort(sizes.begin() + options.ranges.size(), sizes.end(),
             [](const ScopedSize &a, const ScopedSize &b) { return a.name < b.name; });
  size_t given = sizes.size();
  for (const OpenDim &dim : open)
    // If a name such as "past + new" is already an equation, no search is needed.
    if (StringRef(dim.name).find_first_of(" +-*/(") == StringRef::npos)
      sizes.push_back({dim.name, unknown, 0});
    else
      return {};
  while (std::optional<Equation> equation = findEquation(context, sizes, given, probe, import)) {
    llvm::erase_if(sizes, [&](const ScopedSize &size) { return size.name == equation->name; });
    probe.sumNames[equation->name] = nameOf(equation->is);
  }
  return probe.sumNames;
}
