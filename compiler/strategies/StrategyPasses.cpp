//===- StrategyPasses.cpp - the passes that run strategies ----------------===//
//
// heddle-tile chooses a strategy for each kernel and runs its sequence @tile.
// heddle-vectorize runs @vectorize of the strategy that heddle-tile has chosen.
//
//===----------------------------------------------------------------------===//

#include "Heddle.h"
#include "heddle/Lowering.h"
#include "heddle/Passes.h"
#include "heddle/Strategy.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_TILE
#define GEN_PASS_DEF_VECTORIZE
#include "heddle/Passes.h.inc"
} // namespace heddle

using namespace heddle;

/// Parses the options of the pass heddle-tile and applies strategies. An element of `limits` is a numeric fact of the
/// target (TargetFacts.h) in the form NAME=INTEGER. An element of `choices` is a choice of the user in the form
/// OP=NAME|FILE[:knob=value,...].
static LogicalResult tile(ModuleOp module, StringRef target, ArrayRef<std::string> features,
                          ArrayRef<std::string> limits, ArrayRef<std::string> choices) {
  StrategyOptions options;
  options.target = target.str();
  options.facts.features.assign(features.begin(), features.end());
  for (StringRef text : limits) {
    auto [name, value] = text.split('=');
    if (!llvm::is_contained(limitNames, name))
      return module.emitError() << "limits: there is no target fact `" << name << "`; the target facts are "
                                << llvm::join(ArrayRef(limitNames), ", ");
    if (value.getAsInteger(10, options.facts.limits[name.str()]))
      return module.emitError() << "limits: expected NAME=INTEGER, found " << text;
  }
  for (const std::string &text : choices) {
    std::string error;
    FailureOr<StrategyChoice> choice = parseStrategyChoice(text, error);
    if (failed(choice))
      return module.emitError(error);
    options.choices.push_back(std::move(*choice));
  }
  return applyStrategies(module, options, StrategyStep::Tile);
}

namespace {
struct TilePass : heddle::impl::TileBase<TilePass> {
  using TileBase::TileBase;
  void getDependentDialects(DialectRegistry &registry) const override { registerTransformOps(registry); }
  void runOnOperation() override {
    if (failed(tile(getOperation(), target, features, limits, strategies)))
      signalPassFailure();
  }
};

struct VectorizePass : heddle::impl::VectorizeBase<VectorizePass> {
  using VectorizeBase::VectorizeBase;
  void getDependentDialects(DialectRegistry &registry) const override { registerTransformOps(registry); }
  void runOnOperation() override {
    if (failed(applyStrategies(getOperation(), {}, StrategyStep::Vectorize)))
      signalPassFailure();
  }
};
} // namespace

void heddle::addTile(OpPassManager &manager, StringRef target, const TargetFacts &facts,
                     ArrayRef<std::string> choices) {
  TileOptions options;
  options.target = target.str();
  options.features.assign(facts.features.begin(), facts.features.end());
  for (auto &[name, value] : facts.limits)
    options.limits.push_back(name + "=" + std::to_string(value));
  options.strategies.assign(choices.begin(), choices.end());
  manager.addPass(createTile(options));
}
