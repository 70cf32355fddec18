//===- StrategyPasses.cpp - the stages tile and vectorize as passes -------===//

#include "Heddle.h"
#include "heddle/Lowering.h"
#include "heddle/Passes.h"
#include "heddle/Strategy.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_TILE
#define GEN_PASS_DEF_VECTORIZE
#include "heddle/Passes.h.inc"
} // namespace heddle

using namespace heddle;

template <typename PassTy>
static LogicalResult run(PassTy &pass, ModuleOp module, const Pass::ListOption<std::string> &features,
                         const Pass::ListOption<std::string> &choices, StrategyStep step) {
  StrategyOptions options;
  options.features.assign(features.begin(), features.end());
  for (const std::string &text : choices) {
    std::string error;
    FailureOr<StrategyChoice> choice = parseStrategyChoice(text, error);
    if (failed(choice))
      return module.emitError(error);
    options.choices.push_back(std::move(*choice));
  }
  return applyStrategies(module, options, step);
}

namespace {
struct TilePass : heddle::impl::TileBase<TilePass> {
  using TileBase::TileBase;
  void getDependentDialects(DialectRegistry &registry) const override { registerTransformOps(registry); }
  void runOnOperation() override {
    if (failed(run(*this, getOperation(), features, strategies, StrategyStep::Tile)))
      signalPassFailure();
  }
};

struct VectorizePass : heddle::impl::VectorizeBase<VectorizePass> {
  using VectorizeBase::VectorizeBase;
  void getDependentDialects(DialectRegistry &registry) const override { registerTransformOps(registry); }
  void runOnOperation() override {
    if (failed(run(*this, getOperation(), features, strategies, StrategyStep::Vectorize)))
      signalPassFailure();
  }
};
} // namespace
