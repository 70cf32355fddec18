//===- Strategies.cpp - heddle strategies ---------------------------------===//

#include "ModelArguments.h"

#include "heddle/Compile.h"
#include "heddle/Strategy.h"
#include "heddle/device.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace heddle;

namespace {

struct Arguments {
  std::string op, show;
  bool json = false;
};

/// Why no kernel can use the strategy on this machine; empty where one can.
std::string missingFeatures(const Strategy &strategy) {
  heddle_device_info cpu;
  heddle_cpu_info(&cpu);
  llvm::SmallVector<llvm::StringRef> present, missing;
  llvm::StringRef(cpu.features).split(present, ' ');
  for (const std::string &feature : strategy.features)
    if (!llvm::is_contained(present, feature))
      missing.push_back(feature);
  return missing.empty() ? "" : "this CPU lacks " + llvm::join(missing, ", ");
}

std::string knobText(const Knob &knob, int64_t value) {
  std::string options = llvm::join(llvm::map_range(knob.options, [](int64_t option) { return std::to_string(option); }), "|");
  return llvm::formatv("{0}={1} ({2})", knob.name, value, options);
}

void printText(const Strategy &strategy, const TargetFacts &facts) {
  std::string reason = missingFeatures(strategy);
  llvm::outs() << llvm::formatv("{0,-28} {1,-18} {2}, priority {3}: {4}\n", strategy.name, strategy.op, strategy.target,
                                strategy.priority, reason.empty() ? "eligible" : "not eligible: " + reason);
  KnobValues values = findKnobValues(strategy, facts);
  for (const Knob &knob : strategy.knobs)
    llvm::outs() << "    " << knobText(knob, values[knob.name]) << "\n";
}

void printJson(llvm::ArrayRef<Strategy> strategies, const TargetFacts &facts) {
  llvm::json::OStream json(llvm::outs(), 2);
  json.array([&] {
    for (const Strategy &strategy : strategies)
      json.object([&] {
        json.attribute("name", strategy.name);
        json.attribute("op", strategy.op);
        json.attribute("target", strategy.target);
        json.attribute("priority", strategy.priority);
        json.attribute("not_eligible", missingFeatures(strategy));
        KnobValues values = findKnobValues(strategy, facts);
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

int show(llvm::ArrayRef<Strategy> strategies, llvm::StringRef name) {
  for (const Strategy &strategy : strategies)
    if (strategy.name == name) {
      llvm::outs() << strategy.text;
      return ExitDone;
    }
  llvm::errs() << "heddle: error: no strategy is called '" << name << "'; there are "
               << llvm::join(llvm::map_range(strategies, [](const Strategy &s) { return s.name; }), ", ") << "\n";
  return ExitUsage;
}

int runStrategies(const Arguments &arguments) {
  auto context = createContext();
  auto all = listStrategies(*context);
  if (failed(all))
    return ExitBad;
  if (!arguments.show.empty())
    return show(*all, arguments.show);
  auto target = createTarget(mlir::UnknownLoc::get(context.get()), {});
  if (failed(target))
    return ExitBad;
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
    printJson(chosen, (*target)->getFacts());
  else
    for (const Strategy &strategy : chosen)
      printText(strategy, (*target)->getFacts());
  return ExitDone;
}

} // namespace

void heddle::addStrategies(CLI::App &app, int &status) {
  auto arguments = std::make_shared<Arguments>();
  CLI::Option *op = app.add_option("OP", arguments->op, "only strategies for this operation");
  app.add_option("--show", arguments->show, "NAME: print the strategy's file, to copy and change")->excludes(op);
  app.add_flag("--json", arguments->json, "print as JSON");
  app.callback([arguments, &status] { status = runStrategies(*arguments); });
}
