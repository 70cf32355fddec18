//===- HardReference.cpp - the reference on adversarial inputs ------------===//

#include "HardReference.h"

#include "heddle/Pipeline.h"

#include "Heddle.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// Null where recognition found no attention that was not there before.
func::FuncOp HardReference::recognisedMain() {
  auto attentions = [](ModuleOp module) {
    unsigned count = 0;
    module.walk([&](AttentionOp) { ++count; });
    return count;
  };
  if (!recognised) {
    recognised = imported.clone();
    if (failed(runStages(*recognised, Stage::Import, Stage::Recognise, PipelineOptions())))
      return {};
  }
  if (attentions(*recognised) == attentions(imported))
    return {};
  return recognised->lookupSymbol<func::FuncOp>("main");
}

FailureOr<Reference> HardReference::compute(ArrayRef<Tensor> inputs, const WeightSource &weights) {
  FailureOr<Reference> reference = computeReference(imported.lookupSymbol<func::FuncOp>("main"), inputs, weights);
  if (failed(reference))
    return failure();
  auto isNaN = [](double x) { return std::isnan(x); };
  bool any = llvm::any_of(reference->wide, [&](const Tensor &wide) {
    return wide.isFloat() && llvm::any_of(wide.floats(), isNaN);
  });
  func::FuncOp main = any ? recognisedMain() : func::FuncOp();
  if (!main)
    return reference;
  FailureOr<Reference> other = computeReference(main, inputs, weights);
  if (failed(other))
    return failure();
  for (auto [i, wide] : llvm::enumerate(reference->wide)) {
    const Tensor &defined = other->wide[i];
    if (!wide.isFloat() || defined.shape() != wide.shape())
      continue;
    for (int64_t j = 0; j < wide.size(); ++j)
      if (std::isnan(wide.floats()[j]) && !std::isnan(defined.floats()[j])) {
        wide.mutableFloats()[j] = defined.floats()[j];
        reference->narrow[i].mutableFloats()[j] = other->narrow[i].floats()[j];
      }
  }
  return reference;
}
