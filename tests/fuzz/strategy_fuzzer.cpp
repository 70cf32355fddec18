//===- strategy_fuzzer.cpp - strategy files -------------------------------===//

#include "Fuzz.h"

#include "heddle/Registry.h"
#include "heddle/Strategy.h"

using namespace heddle;
using namespace mlir;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const DialectRegistry registry = [] {
    DialectRegistry all;
    registerDialects(all);
    return all;
  }();
  TestContext context;
  context.appendDialectRegistry(registry);
  FailureOr<Strategy> strategy = parseStrategy(context, "input.mlir", asText(data, size));
  if (failed(strategy)) {
    require(!context.take().empty(), "a strategy is refused without an error");
    return 0;
  }
  StrategyOptions options;
  options.facts.limits = {{"vector_bits", 512}, {"vector_registers", 32}, {"l2_kib", 1024}};
  (void)whyNot(*strategy, options);
  for (const auto &[name, value] : findKnobValues(*strategy, options.facts)) {
    StrategyChoice choice{strategy->op, strategy->name, {{name, value}}};
    require(!findWrongKnob(*strategy, choice), "a knob has a value by default that is none of its options");
  }
  return 0;
}
