//===- SizeEquations.cpp - what a dimension without a size must be --------===//

#include "SizeEquations.h"

#include "Sums.h"
#include "ChooseStands.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace heddle;

/// Of a dimension that nobody gave a size.
static constexpr SizeBounds unknown = {1, int64_t(1) << 20};

/// Of one size a range that has it, so that it is seen where it is part of a sum. One element is broadcast, which is
/// another matter, and there may be no more positions.
static SizeBounds around(int64_t size) {
  return size < 2 ? SizeBounds{size, size} : size == 2 ? SizeBounds{2, 3} : SizeBounds{size - 1, size};
}

/// What the size is where `zero` is 0: a sum of others and a number; none where that does not follow.
static std::optional<DimSum> solve(const SizeExpression &zero, unsigned size, ArrayRef<ScopedSize> sizes) {
  auto valueWith = [&](const SizeExpression &expression, unsigned which, int64_t value) {
    SmallVector<SizeExpression> values;
    for (unsigned i = 0; i < sizes.size(); ++i)
      values.push_back(i == which ? SizeExpression(value) : SizeExpression::size(i));
    return expression.withSizes(values);
  };
  /// How often a size is a term, where it is no part of anything else.
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
/// One of the dimensions without a size, and what it is.
struct Equation {
  std::string name;
  DimSum is;
};
} // namespace

/// The first that an import asks for, of sizes that are given. Behind `given` are those that are not.
static std::optional<Equation> findEquation(MLIRContext &context, std::vector<ScopedSize> sizes, size_t given,
                                            ImportOptions probe,
                                            function_ref<FailureOr<Model>(const ImportOptions &)> import) {
  std::vector<Stands> stands = chooseStands(sizes, {}, {}, {}, /*isLoose=*/false, 1);
  if (stands.empty())
    return std::nullopt;
  for (auto [size, number] : llvm::zip_equal(sizes, stands.front().sizes)) {
    size.stands = number;
    probe.dims[size.name] = number;
    probe.bounds[size.name] = {size.bounds.low, size.bounds.high};
    probe.mayBeEmpty |= size.bounds.low == 0;
  }
  SizeScope scope(sizes, stands.front().functions);
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  (void)import(probe); // it fails where the equation is missing
  for (const SizeExpression &zero : scope.undecidedZeros())
    if (llvm::count_if(zero.sizes(), [&](unsigned size) { return size >= given; }) == 1)
      if (std::optional<DimSum> is = solve(zero, zero.sizes().back(), sizes))
        return Equation{sizes[zero.sizes().back()].name, *is};
  return std::nullopt;
}

llvm::StringMap<std::string> heddle::findEquations(MLIRContext &context, ArrayRef<OpenDim> open,
                                                   const ImportOptions &options,
                                                   function_ref<FailureOr<Model>(const ImportOptions &)> import) {
  ImportOptions probe = options;
  probe.openDims = nullptr;
  probe.wrongUsage = nullptr;
  probe.ranges.clear();
  probe.dims.clear();
  std::vector<ScopedSize> sizes;
  for (const DimRange &range : options.ranges)
    sizes.push_back({range.name, {range.low, range.high}, 0});
  for (StringRef name : options.dims.keys())
    sizes.push_back({name.str(), around(options.dims.lookup(name)), 0});
  llvm::sort(sizes.begin() + options.ranges.size(), sizes.end(),
             [](const ScopedSize &a, const ScopedSize &b) { return a.name < b.name; });
  size_t given = sizes.size();
  for (const OpenDim &dim : open)
    if (StringRef(dim.name).find_first_of(" +-*/(") == StringRef::npos) // an expression says what it is
      sizes.push_back({dim.name, unknown, 0});
    else
      return {};
  while (std::optional<Equation> equation = findEquation(context, sizes, given, probe, import)) {
    llvm::erase_if(sizes, [&](const ScopedSize &size) { return size.name == equation->name; });
    probe.sumNames[equation->name] = nameOf(equation->is);
  }
  return probe.sumNames;
}
