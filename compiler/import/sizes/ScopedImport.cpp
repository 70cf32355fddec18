//===- ScopedImport.cpp - one import with given placeholders --------------===//

#include "ScopedImport.h"

#include "HiddenSize.h"
#include "ModelExtents.h"
#include "PlaceOf.h"

#include "DerivedSizes.h"
#include "Notes.h"
#include "Sizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace heddle;

std::string heddle::namesOf(const ImportTask &options) {
  SmallVector<std::string> names;
  for (const DimRange &range : options.ranges)
    names.push_back(range.name);
  return llvm::join(names, ", ");
}

/// Annotates the module with the placeholders of the first `count` sizes and of sizes that are derived from them.
static void note(ModuleOp module, SizeScope &scope, size_t count) {
  SizeRanges ranges;
  for (const ScopedSize &size : scope.all().take_front(count))
    ranges.push_back({size.name, size.bounds.low, size.bounds.high, size.placeholder});
  SmallVector<DerivedDim> dims(llvm::make_filter_range(scope.derived(), [&](const DerivedDim &dim) {
    SmallVector<unsigned> sizes = dim.expression.sizes();
    return sizes.empty() || sizes.back() < count;
  }));
  SmallVector<std::string> names;
  for (const DerivedDim &dim : dims)
    names.push_back(dim.expression.text(scope.names()));
  DerivedSizes derived;
  for (auto [dim, name] : llvm::zip_equal(dims, names))
    derived.push_back({name, dim.expression, dim.placeholder, dim.bounds.low, dim.bounds.high});
  notes::sizes.remove(module);
  notes::derived.remove(module);
  if (!ranges.empty())
    notes::sizes.set(module, ranges);
  if (!derived.empty())
    setDerivedSizes(module, derived);
}

/// Adds to `fixed` the extents of a module that do not depend on sizes and are greater than 1.
static void addFixed(ModuleOp module, const SizeScope &scope, llvm::SetVector<int64_t> &fixed) {
  for (int64_t extent : extentsOf(module))
    if (extent > 1 && scope.of(extent).isFixed())
      fixed.insert(extent);
}

/// Turns the offsets of concatenated parts into derived sizes, since generated code uses these offsets like offsets of
/// slices.
static void derivePlaces(ModuleOp module, SizeScope &scope) {
  module.walk([&](tensor::ConcatOp concat) {
    scope.setPlace(placeOf(concat));
    Dim begin = 0;
    for (Type type : llvm::drop_end(concat->getOperandTypes()))
      (void)numberOf(begin += dimOf(cast<RankedTensorType>(type).getDimSize(unsigned(concat.getDim()))));
  });
}

/// Appends to each error the sizes that the placeholders in its text represent, since errors of verifiers print types,
/// which contain placeholders.
static void explainNumbers(MutableArrayRef<Diagnostic> said, const SizeScope &scope) {
  for (Diagnostic &error : said) {
    std::string text = error.str(), legend;
    auto explain = [&](int64_t placeholder, const std::string &name) {
      std::string number = std::to_string(placeholder);
      if (placeholder > 1 && llvm::Regex("(^|[^0-9])" + number + "([^0-9]|$)").match(text))
        legend += (legend.empty() ? ": " : ", ") + number + " is the placeholder for " + name;
    };
    for (const ScopedSize &size : scope.all())
      if (size.bounds.low != size.bounds.high)
        explain(size.placeholder, size.name);
    for (const DerivedDim &dim : scope.derived())
      explain(dim.placeholder, dim.expression.text(scope.names()));
    if (error.getSeverity() == DiagnosticSeverity::Error && !legend.empty())
      error << legend;
  }
}

ScopedImport heddle::importWith(Location loc, const ImportTask &options, const Placeholders &placeholders,
                                bool isUnchecked, ArrayRef<int64_t> taken, ImportFunction import) {
  ImportTask fixed = options;
  fixed.ranges.clear();
  std::vector<ScopedSize> sizes;
  for (auto [range, number] : llvm::zip_equal(options.ranges, placeholders.sizes)) {
    // A range with a single value needs no placeholder.
    fixed.dims[range.name] = range.low == range.high ? range.low : number;
    fixed.bounds[range.name] = {range.low, range.high};
    fixed.mayBeEmpty |= range.low == 0;
    sizes.push_back({range.name, {range.low, range.high}, number});
  }
  SizeScope scope(std::move(sizes), {placeholders.functions, taken.vec()}, isUnchecked, limitOf(options));
  SeenExtents seen;
  ScopedImport result;
  llvm::SetVector<int64_t> extents;
  extents.insert(3 << 11); // each placeholder must have a prime factor other than 2 and 3, the factors of tile sizes
  {
    ScopedDiagnosticHandler keep(loc.getContext(), keepIn(result.said));
    result.model = import(fixed);
    if (succeeded(result.model))
      derivePlaces(*result.model->module, scope);
    if (succeeded(result.model) && options.hidden) {
      ModuleOp module = *result.model->module;
      note(module, scope, scope.all().size());
      addFixed(module, scope, extents);
      // If the placeholders are not suitable, an error of `remove` does not describe the model, so `remove` is not
      // called.
      if (!scope.needsOtherPlaceholders() && failed(options.hidden->remove(module, fixed)))
        result.model = failure();
    }
    // An error about sizes replaces all other errors, since it may be their cause.
    if (std::optional<std::string> why = scope.takeRefusal()) {
      result.said.clear();
      result.model = emitError(loc) << *why << ": "
                                    << (options.hidden ? "with --state a past may have any length, 0 included"
                                                       : namesOf(options) + " cannot lie in a range in this model");
    }
  }
  explainNumbers(result.said, scope);
  result.derived.assign(scope.derived().begin(), scope.derived().end());
  result.required.assign(scope.required().begin(), scope.required().end());
  result.needsOtherPlaceholders = scope.needsOtherPlaceholders();
  if (failed(result.model))
    return result;
  note(*result.model->module, scope, scope.all().size() - (options.hidden ? 1 : 0));
  addFixed(*result.model->module, scope, extents);
  for (int64_t extent : seen.get())
    if (scope.of(extent).isFixed())
      result.seen.insert(extent);
  result.fixed.assign(extents.begin(), extents.end());
  return result;
}
