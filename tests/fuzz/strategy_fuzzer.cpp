//===- strategy_fuzzer.cpp - strategy files -------------------------------===//
//
// A strategy is a .mlir file that describes how one kind of operation is lowered. If the input is a valid strategy, the
// fuzz target applies it to the test kernel of its operation, a file in tests/strategies/Inputs.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include "heddle/ParseMlir.h"
#include "heddle/Registry.h"
#include "heddle/Strategy.h"

using namespace heddle;
using namespace mlir;

static const std::string inputs = HEDDLE_STRATEGY_INPUTS "/";

/// Applies the strategy, whose file is `path`, to the test kernel of its operation. If the strategy fails, it must emit
/// an error.
static void apply(TestContext &context, const Strategy &strategy, StringRef path, StrategyOptions options) {
  std::string name = strategy.op;
  llvm::replace(name, '_', '-');
  auto kernels = parseMlirFile(context, inputs + name + ".mlir");
  if (failed(kernels))
    return; // there is no test kernel for this operation
  options.target = strategy.target;
  options.facts.features = strategy.features;
  options.choices.push_back({strategy.op, path.str(), {}});
  context.take();
  if (failed(applyStrategies(**kernels, options, StrategyStep::Tile)) ||
      failed(applyStrategies(**kernels, options, StrategyStep::Vectorize)))
    require(!context.take().empty(), "a strategy fails without an error");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const DialectRegistry registry = [] {
    DialectRegistry all;
    registerDialects(all);
    return all;
  }();
  TestContext context;
  context.appendDialectRegistry(registry);
  static const TempDir dir;
  std::string path = dir.write("input.mlir", asText(data, size));
  FailureOr<Strategy> strategy = loadStrategyFile(context, path);
  if (failed(strategy)) {
    require(!context.take().empty(), "a strategy is refused without an error");
    return 0;
  }
  StrategyOptions options;
  options.facts.limits = {{"vector_bits", 512}, {"vector_registers", 32}, {"l2_kib", 1024}};
  (void)whyNot(*strategy, options); // must not crash; its result, why the strategy is not eligible, is not used
  for (const auto &[name, value] : findKnobValues(*strategy, options.facts)) {
    StrategyChoice choice{strategy->op, strategy->name, {{name, value}}};
    require(!findWrongKnob(*strategy, choice), "the default of a knob is not among its options");
  }
  apply(context, *strategy, path, options);
  return 0;
}
