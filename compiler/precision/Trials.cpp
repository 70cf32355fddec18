//===- Trials.cpp - measures the errors of precision plans ----------------===//

#include "Trials.h"

#include "heddle/Distance.h"
#include "interpreter/Footprint.h"

#include "Heddle.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

/// Returns whether two models have equal weights.
static bool areSame(const WeightStore &a, const WeightStore &b) {
  auto names = a.names();
  return names.size() == b.names().size() && llvm::all_of(names, [&](StringRef name) { return a.hasSame(name, b); });
}

Trials::Trials(MutableArrayRef<CalibrationCase> cases) : cases(cases) {
  for (auto [i, test] : llvm::enumerate(cases)) {
    size_t same = 0;
    while (same < i && !areSame(cases[same].model.weights, test.model.weights))
      ++same;
    sameWeights.push_back(same);
    if (test.isOnlyCompared && !cases[quick].isOnlyCompared)
      quick = i;
  }
}

FailureOr<SmallVector<Tensor>> Trials::run(ModuleOp module, size_t number, MutableArrayRef<WeightSource> sources) {
  // Rounding all weights takes longer than interpreting a few rows. Therefore cases with equal weights share one
  // source, which rounds each weight only once.
  WeightSource &source = sources[sameWeights[number]];
  if (!source)
    source = weightsFrom(cases[sameWeights[number]].model.weights);
  InterpreterOptions options;
  options.weights = source;
  return interpret(mainOf(module), cases[number].inputs, options);
}

/// Returns the number of bytes of a module's weights. The interpreter reads each weight once and keeps it in memory for
/// other cases.
static uint64_t weightBytes(ModuleOp module) {
  DenseMap<std::pair<Attribute, Type>, uint64_t> weights;
  module.walk([&](WeightOp op) {
    weights[{op->getAttrDictionary(), op.getType()}] = interpretedBytes(TypeRange(op.getType()));
  });
  uint64_t bytes = 0;
  for (auto [key, size] : weights)
    bytes = llvm::SaturatingAdd(bytes, size);
  return bytes;
}

uint64_t Trials::bytesFor(const PrecisionPlan &plan) {
  // The size of each set of weights in bytes. The index is that of the first case with this set; other entries are 0.
  std::vector<uint64_t> weights(cases.size(), 0);
  std::vector<uint64_t> alone(cases.size(), 0); // for each case, the bytes of an interpretation without its weights
  uint64_t results = 0;
  for (auto [i, test] : llvm::enumerate(cases)) {
    OwningOpRef<ModuleOp> rounded = test.model.module->clone();
    lowerPrecision(*rounded, plan);
    for (ModuleOp module : {*test.model.module, *rounded}) {
      uint64_t read = weightBytes(module), peak = peakBytes(mainOf(module));
      weights[sameWeights[i]] = std::max(weights[sameWeights[i]], read);
      alone[i] = std::max(alone[i], peak - std::min(peak, read));
    }
    // The results of the f32 model and the results of the changed model are kept at the same time.
    uint64_t here = interpretedBytes(test.model.main().getResultTypes());
    results = llvm::SaturatingMultiplyAdd(uint64_t(2), here, results);
  }
  for (uint64_t size : weights)
    results = llvm::SaturatingAdd(results, size);
  return llvm::SaturatingAdd(results, *llvm::max_element(alone));
}

LogicalResult Trials::prepare(const PrecisionPlan &plan) {
  if (failed(checkCalibrationMemory(*cases.front().model.module, bytesFor(plan))))
    return failure();
  std::vector<WeightSource> sources(cases.size());
  for (auto [i, test] : llvm::enumerate(cases)) {
    FailureOr<SmallVector<Tensor>> results = run(*test.model.module, i, sources);
    if (failed(results))
      return failure();
    references.push_back(std::move(*results));
  }
  return success();
}

FailureOr<double> Trials::worstOf(const PrecisionPlan &plan, size_t begin, size_t end) {
  std::vector<WeightSource> sources(cases.size());
  Distance all;
  for (size_t i = begin; i < end; ++i) {
    OwningOpRef<ModuleOp> copy = cases[i].model.module->clone();
    lowerPrecision(*copy, plan);
    FailureOr<SmallVector<Tensor>> results = run(*copy, i, sources);
    if (failed(results))
      return failure();
    for (auto [result, wanted] : llvm::zip_equal(*results, references[i]))
      if (result.isFloat())
        all = worse(all, distanceBetween(result, wanted));
  }
  return all.cosine;
}
