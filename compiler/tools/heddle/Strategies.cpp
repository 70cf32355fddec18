//===- Strategies.cpp - heddle strategies ---------------------------------===//

#include "ModelArguments.h"

#include "heddle/Compile.h"
#include "heddle/Strategy.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace heddle;

namespace {

/// The values of the options of `heddle strategies`.
struct StrategiesCommand {
  std::string op, show; // an operation, and the name of the strategy to print; empty if they are not given
  bool json = false;
};

std::string knobText(const Knob &knob, int64_t value) {
  std::string options = llvm::join(llvm::map_range(knob.options, [](int64_t option) { return std::to_string(option); }), "|");
  return llvm::formatv("{0}={1} ({2})", knob.name, value, options);
}

void printText(const Strategy &strategy, const StrategyOptions &options) {
  std::optional<std::string> reason = whyNot(strategy, options);
  llvm::outs() << llvm::formatv("{0,-28} {1,-18} {2}, priority {3}: {4}\n", strategy.name, strategy.op, strategy.target,
                                strategy.priority, reason ? "not eligible: " + *reason : "eligible");
  KnobValues values = findKnobValues(strategy, options.facts);
  for (const Knob &knob : strategy.knobs)
    llvm::outs() << "    " << knobText(knob, values[knob.name]) << "\n";
}

void printJson(llvm::ArrayRef<Strategy> strategies, const StrategyOptions &options) {
  llvm::json::OStream json(llvm::outs(), 2);
  json.array([&] {
    for (const Strategy &strategy : strategies)
      json.object([&] {
        json.attribute("name", strategy.name);
        json.attribute("op", strategy.op);
        json.attribute("target", strategy.target);
        json.attribute("priority", strategy.priority);
        json.attribute("not_eligible", whyNot(strategy, options).value_or(""));
        KnobValues values = findKnobValues(strategy, options.facts);
        json.attributeObject("knobs", [&] {
          for (const Knob &knob : strategy.knobs)
            json.attributeObject(knob.name, [&] {
              json.attribute("selected", values[knob.name]);
              json.attributeArray("options", [&] {
                for (int64_t option : knob.options)
                  json.value(option);
              });
            });
        });
      });
  });
  llvm::outs() << "\n";
}

/// Implements --show: prints the file of the strategy `name`. Returns the exit status.
int show(llvm::ArrayRef<Strategy> strategies, llvm::StringRef name) {
  for (const Strategy &strategy : strategies)
    if (strategy.name == name) {
      llvm::outs() << strategy.text;
      return ExitDone;
    }
  llvm::errs() << "heddle: error: no strategy is called '" << name << "'; the strategies are "
               << llvm::join(llvm::map_range(strategies, [](const Strategy &s) { return s.name; }), ", ") << "\n";
  return ExitUsage;
}

/// Implements `heddle strategies`. Returns the exit status.
int runStrategies(const StrategiesCommand &arguments) {
  auto context = createContext();
  auto all = listStrategies(*context);
  if (failed(all))
    return ExitBad;
  if (!arguments.show.empty())
    return show(*all, arguments.show);
  auto target = createTarget(mlir::UnknownLoc::get(context.get()), {});
  if (failed(target))
    return ExitBad;
  StrategyOptions options;
  options.target = (*target)->getDevice().str();
  options.facts = (*target)->getFacts();
  std::vector<Strategy> chosen;
  llvm::SmallVector<std::string> ops;
  for (Strategy &strategy : *all) {
    if (!llvm::is_contained(ops, strategy.op))
      ops.push_back(strategy.op);
    if (arguments.op.empty() || strategy.op == arguments.op)
      chosen.push_back(strategy);
  }
  if (chosen.empty()) {
    llvm::errs() << "heddle: error: no strategy lowers '" << arguments.op << "'; there are strategies for "
                 << llvm::join(ops, ", ") << "\n";
    return ExitUsage;
  }
  if (arguments.json)
    printJson(chosen, options);
  else
    for (const Strategy &strategy : chosen)
      printText(strategy, options);
  return ExitDone;
}

} // namespace

void heddle::addStrategies(CLI::App &app, int &status) {
  auto arguments = std::make_shared<StrategiesCommand>();
  CLI::Option *op = app.add_option("OP", arguments->op, "list only the strategies for this operation");
  app.add_option("--show", arguments->show, "NAME: print the strategy's file, to copy and change")->excludes(op);
  app.add_flag("--json", arguments->json, "print as JSON");
  app.callback([arguments, &status] { status = runStrategies(*arguments); });
}
