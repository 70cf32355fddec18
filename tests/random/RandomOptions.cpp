//===- RandomOptions.cpp - random options of heddle verify ----------------===//

#include "RandomOptions.h"

#include "heddle/Devices.h"
#include "heddle/Registry.h"
#include "heddle/Strategy.h"

#include "mlir/IR/MLIRContext.h"

/// Returns all embedded strategies. They are parsed in the first call.
static const std::vector<heddle::Strategy> &strategies() {
  static const std::vector<heddle::Strategy> all = [] {
    static mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    mlir::DialectRegistry registry;
    heddle::registerDialects(registry);
    context.appendDialectRegistry(registry);
    return *heddle::listStrategies(context);
  }();
  return all;
}

/// Returns a value of the option --strategy: OP=NAME:knob=value,... with random values for some of the knobs.
static std::string choiceOf(const heddle::Strategy &strategy, Random &random) {
  std::string text = strategy.op + "=" + strategy.name;
  char separator = ':';
  for (const heddle::Knob &knob : strategy.knobs) {
    // Knobs that are properties of the CPU are not drawn, since other values would describe another CPU.
    if (knob.name.rfind("vector_", 0) == 0 || !random.oneIn(3))
      continue;
    text += separator + knob.name + "=" + std::to_string(knob.options[random.below(knob.options.size())]);
    separator = ',';
  }
  return text;
}

/// Returns a random value of the option --precision: formats for all layers or for kinds of layers.
static std::string randomPrecision(Random &random) {
  return random.pick<const char *>({"bf16-weights", "f16-weights", "int8", "int8-block", "bf16", "int8:ffn,bf16:linear",
                                    "bf16,int8-block:ffn", "int8:embedding,int8-block:linear"});
}

/// Makes the weights of a quoted linear or ffn operation constants of the model, so that they can be stored in fewer
/// bits. Returns whether the text was changed.
static bool makeWeightsConstant(RandomCase &chosen) {
  if ((chosen.kind != "linear" && chosen.kind != "ffn") || llvm::StringRef(chosen.text).contains("weights="))
    return false;
  chosen.text += " weights=constant";
  return true;
}

void addRandomOptions(RandomCase &chosen, Random &random, const std::string &device) {
  auto add = [&](const char *name, const std::string &value) {
    chosen.options.push_back(name);
    chosen.options.push_back(value);
  };
  add("--seed", std::to_string(random.below(1000)));
  add("-t", std::to_string(1 + random.below(3)));
  if (!device.empty())
    add("--device", device);
  else if (random.oneIn(2))
    add("--mcpu", random.pick<const char *>({"x86-64-v3", "x86-64-v3", "x86-64-v2", "x86-64"}));
  if (!chosen.isModule() && random.oneIn(4))
    chosen.options.push_back("--adversarial");
  if (random.oneIn(6) || (device.empty() && random.oneIn(2) && makeWeightsConstant(chosen)))
    add("--precision", randomPrecision(random));
  // A graph may contain an operation of any kind, so any strategy for the target may be drawn.
  const heddle::DeviceKind *kind = heddle::findDeviceKind(device);
  llvm::StringRef target = device.empty() || !kind ? llvm::StringRef(heddle::hostDevice) : llvm::StringRef(kind->name);
  llvm::SmallVector<const heddle::Strategy *> eligible;
  for (const heddle::Strategy &strategy : strategies())
    if (heddle::isForTarget(strategy.target, target) && (chosen.isModule() || strategy.op == chosen.kind))
      eligible.push_back(&strategy);
  if (!eligible.empty() && random.oneIn(chosen.isModule() ? 4 : 2))
    add("--strategy", choiceOf(*eligible[random.below(eligible.size())], random));
}
