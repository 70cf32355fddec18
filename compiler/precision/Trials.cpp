//===- Trials.cpp - a model in f32 beside what a plan makes of it ---------===//

#include "Trials.h"

#include "heddle/Distance.h"

using namespace mlir;
using namespace heddle;

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
    if (test.isOnlyJudged && !cases[quick].isOnlyJudged)
      quick = i;
  }
}

FailureOr<SmallVector<Tensor>> Trials::run(ModuleOp module, size_t number, MutableArrayRef<WeightSource> sources) {
  // Rounding all weights takes longer than a few rows do: those of one file are rounded once for all cases.
  WeightSource &source = sources[sameWeights[number]];
  if (!source)
    source = weightsFrom(cases[sameWeights[number]].model.weights);
  InterpreterOptions options;
  options.weights = source;
  return interpret(module.lookupSymbol<func::FuncOp>("main"), cases[number].inputs, options);
}

LogicalResult Trials::prepare() {
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
