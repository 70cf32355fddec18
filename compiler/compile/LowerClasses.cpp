//===- LowerClasses.cpp - lowers a model with classes of sizes ------------===//
//
// A class of sizes is a part of the sizes' ranges for which a library has code
// of its own, such as m=1 and m=2..512.
//
//===----------------------------------------------------------------------===//

#include "LowerClasses.h"

#include "SharedWeights.h"

#include "DerivedSizes.h"
#include "Notes.h"
#include "SizeDomain.h"
#include "Sizes.h"

#include <map>

using namespace mlir;
using namespace heddle;

/// Restricts the range of each size of the module to the interval in `within`, and the ranges of sizes that are derived
/// from these sizes accordingly. The placeholders do not change.
static void narrow(ModuleOp module, ArrayRef<SizeInterval> within) {
  SizeRanges ranges = notes::sizes.get(module).value_or(SizeRanges());
  SmallVector<SizeBounds> bounds;
  for (auto [range, interval] : llvm::zip_equal(ranges, within)) {
    range.low = interval.low;
    range.high = interval.high;
    bounds.push_back({interval.low, interval.high});
  }
  notes::sizes.set(module, ranges);
  DerivedSizes derived = derivedSizes(module);
  SizeDomain domain(bounds);
  for (DerivedSize &size : derived)
    if (std::optional<SizeBounds> part = domain.boundsOf(size.expression, {}, /*isExact=*/true))
      std::tie(size.low, size.high) = std::pair(part->low, part->high);
  if (!derived.empty())
    setDerivedSizes(module, derived);
}

namespace {
/// Makes the model of each class of sizes from the model that was imported for the whole ranges.
class ClassModels {
public:
  explicit ClassModels(Model &model) : model(model), ranges(notes::sizes.get(*model.module).value_or(SizeRanges())) {}

  /// Returns the model of a class.
  FailureOr<Model> of(const SizeClass &one);
  /// Returns whether a size has a single value in the class but not in its whole range. Such a class is imported again,
  /// with this value as a fixed size.
  bool hasFixedSizes(const SizeClass &one) const;
  /// Returns the product of the largest sizes of the class, as a measure of how large the tensors of the class can be.
  double largest(const SizeClass &one) const;

private:
  /// Returns a copy of the whole model whose ranges are those of the class.
  FailureOr<Model> narrowed(const SizeClass &one);

  Model &model;
  SizeRanges ranges;
  /// Imports of the whole model with other sets of placeholders, by the number of the set. All classes without fixed
  /// sizes share them.
  std::shared_ptr<std::map<int, Model>> again = std::make_shared<std::map<int, Model>>();
};
} // namespace

bool ClassModels::hasFixedSizes(const SizeClass &one) const {
  return llvm::any_of(llvm::zip_equal(ranges, one.within), [](auto pair) {
    auto [range, interval] = pair;
    return interval.isOne() && range.low != range.high;
  });
}

double ClassModels::largest(const SizeClass &one) const {
  double product = 1;
  for (SizeInterval interval : one.within)
    product *= double(interval.high);
  return product;
}

FailureOr<Model> ClassModels::narrowed(const SizeClass &one) {
  Model part{model.module->clone(), {}};
  narrow(*part.module, one.within);
  part.importAgain = [again = again, whole = model.importAgain, within = one.within](const SizeOptions &sizes) -> FailureOr<Model> {
    auto found = again->find(sizes.placeholderSet);
    if (found == again->end()) {
      FailureOr<Model> other = whole(sizes);
      if (failed(other))
        return failure();
      other->weights = WeightStore(); // the weights of this import are not used
      found = again->try_emplace(sizes.placeholderSet, std::move(*other)).first;
    }
    Model part{found->second.module->clone(), {}};
    narrow(*part.module, within);
    return std::move(part);
  };
  return std::move(part);
}

FailureOr<Model> ClassModels::of(const SizeClass &one) {
  if (!hasFixedSizes(one))
    return narrowed(one);
  SizeOptions sizes;
  for (auto [range, interval] : llvm::zip_equal(ranges, one.within))
    sizes.within[range.name] = {interval.low, interval.high};
  FailureOr<Model> imported = model.importAgain(sizes);
  if (failed(imported))
    return failure();
  auto again = std::move(imported->importAgain);
  imported->importAgain = [again, &weights = model.weights, name = one.name](const SizeOptions &sizes) -> FailureOr<Model> {
    FailureOr<Model> other = again(sizes);
    if (failed(other))
      return failure();
    shareStore(*other, weights, name);
    return other;
  };
  shareStore(*imported, model.weights, one.name);
  return imported;
}

/// Returns, for each size, the different minima of its intervals in the classes.
static std::vector<std::vector<int64_t>> minOf(ArrayRef<SizeClass> classes) {
  std::vector<std::vector<int64_t>> minimum(classes.front().within.size());
  for (const SizeClass &one : classes)
    for (auto [lows, interval] : llvm::zip_equal(minimum, one.within))
      if (!llvm::is_contained(lows, interval.low))
        lows.push_back(interval.low);
  return minimum;
}

FailureOr<LoweredClasses> heddle::lowerClasses(Model &model, const CompileOptions &options,
                                               ArrayRef<std::unique_ptr<Target>> targets) {
  Location loc = model.module->getLoc();
  if (options.target.device != hostDevice)
    return emitError(loc) << "code for " << options.target.device << " cannot have classes of sizes, found '"
                          << model.classes.front().name << "': give a single range";
  if (options.to < Stage::LLVMIR)
    return emitError(loc) << "stage " << stageName(options.to) << " supports only one class of sizes, found several ('"
                          << model.classes.front().name << "' and others): give a single range";
  ClassModels models(model);
  // The class that is lowered first determines the layout of weights: the largest class without fixed sizes.
  SmallVector<size_t> order = llvm::to_vector(llvm::seq<size_t>(0, model.classes.size()));
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    const SizeClass &one = model.classes[a], &other = model.classes[b];
    if (models.hasFixedSizes(one) != models.hasFixedSizes(other))
      return models.hasFixedSizes(other);
    return models.largest(one) > models.largest(other);
  });
  LoweredClasses lowered;
  lowered.classes.resize(model.classes.size());
  SharedWeights shared(loc.getContext());
  for (size_t i : order) {
    const SizeClass &one = model.classes[i];
    FailureOr<Model> part = models.of(one);
    if (failed(part))
      return failure();
    auto &lowering = lowered.classes[i] =
        std::make_unique<LowerModel>(shared.mergeAlike(std::move(*part)), options, targets, one.name);
    if (failed(lowering->run(lowered.last)) || failed(shared.check(*lowering->getModules().back(), one.name)))
      return failure();
    lowered.last = lowering.get();
  }
  std::vector<ModelInterface> interfaces;
  for (const std::unique_ptr<LowerModel> &lowering : lowered.classes)
    interfaces.push_back(lowering->interface);
  FailureOr<ModelInterface> joined = joinClasses(std::move(interfaces), minOf(model.classes), *model.module);
  if (failed(joined))
    return failure();
  lowered.interface = std::move(*joined);
  lowered.interface.weightsSize = lowered.last->interface.weightsSize;
  return std::move(lowered);
}
