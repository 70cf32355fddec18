//===- HardReference.cpp - reference for non-finite values ----------------===//

#include "HardReference.h"

#include "heddle/Import.h"
#include "heddle/Pipeline.h"

#include "Heddle.h"

#include "mlir/IR/PatternMatch.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

static unsigned countAttentions(ModuleOp module) {
  unsigned count = 0;
  module.walk([&](AttentionOp) { ++count; });
  return count;
}

/// Returns a copy of `module` in which each heddle.attention is decomposed, or null if one of them cannot be
/// decomposed.
static OwningOpRef<ModuleOp> decomposeAttentions(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  WalkResult result = copy->walk([&](AttentionOp op) {
    IRRewriter rewriter(op);
    FailureOr<SmallVector<Value>> values = op.decomposeOperation(rewriter);
    if (failed(values))
      return WalkResult::interrupt();
    rewriter.replaceOp(op, *values);
    return WalkResult::advance();
  });
  return result.wasInterrupted() ? OwningOpRef<ModuleOp>() : std::move(copy);
}

bool HardReference::isRecognised() {
  if (known)
    return *known;
  known = false;
  recognised = imported.clone();
  if (failed(runStages(*recognised, Stage::Import, Stage::Recognise, PipelineOptions())) ||
      countAttentions(*recognised) == countAttentions(imported))
    return false;
  formula = decomposeAttentions(*recognised);
  if (countAttentions(imported))
    importedFormula = decomposeAttentions(imported);
  return *(known = formula && (importedFormula || !countAttentions(imported)));
}

/// Returns whether recognition of layers may change the results: only if an input is not finite or a result is NaN.
static bool isSpecial(const Reference &reference, ArrayRef<Tensor> inputs) {
  auto has = [](ArrayRef<Tensor> tensors, bool (*is)(double)) {
    return llvm::any_of(tensors, [&](const Tensor &t) { return t.isFloat() && llvm::any_of(t.floats(), is); });
  };
  return has(inputs, [](double x) { return !std::isfinite(x); }) ||
         has(reference.wide, [](double x) { return std::isnan(x); });
}

FailureOr<Reference> HardReference::compute(ArrayRef<Tensor> inputs, const WeightSource &weights) {
  FailureOr<Reference> reference = computeReference(mainOf(imported), inputs, weights);
  if (failed(reference) || !isSpecial(*reference, inputs) || !isRecognised())
    return reference;
  FailureOr<Reference> before = reference, after = computeReference(mainOf(*formula), inputs, weights);
  if (importedFormula)
    before = computeReference(mainOf(*importedFormula), inputs, weights);
  FailureOr<Reference> meant = computeReference(mainOf(*recognised), inputs, weights);
  if (failed(before) || failed(after) || failed(meant))
    return failure();
  for (auto [wide, expected, narrow] : llvm::zip_equal(after->wide, before->wide, before->narrow))
    if (!compare("", wide, expected, narrow).ok)
      return reference;
  return meant;
}
