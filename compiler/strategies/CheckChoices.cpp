//===- CheckChoices.cpp - finds wrong choices of strategies ---------------===//
//
// A choice is an argument OP=NAME|FILE[:knob=value,...] on the command line,
// which selects the strategy that lowers an operation.
//
//===----------------------------------------------------------------------===//
#include "heddle/Strategy.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace heddle;

static std::string namesOf(ArrayRef<Strategy> strategies) {
  return llvm::join(llvm::map_range(strategies, [](const Strategy &strategy) { return strategy.name; }), ", ");
}

std::optional<std::string> heddle::findWrongKnob(const Strategy &strategy, const StrategyChoice &choice) {
  for (const KnobValues::value_type &chosen : choice.knobs) {
    const std::string &name = chosen.first;
    int64_t value = chosen.second;
    auto knob = llvm::find_if(strategy.knobs, [&](const Knob &k) { return k.name == name; });
    if (knob == strategy.knobs.end())
      return "strategy " + strategy.name + " has no knob `" + name + "`";
    if (!llvm::is_contained(knob->options, value))
      return "strategy " + strategy.name + ": knob `" + name + "` must be one of [" +
             llvm::join(llvm::map_range(knob->options, [](int64_t v) { return std::to_string(v); }), ", ") +
             "], found " + std::to_string(value);
  }
  return std::nullopt;
}

std::optional<std::string> heddle::findWrongChoice(MLIRContext &context, ArrayRef<std::string> texts) {
  llvm::StringSet<> chosen;
  for (const std::string &text : texts) {
    std::string error;
    FailureOr<StrategyChoice> choice = parseStrategyChoice(text, error);
    if (failed(choice))
      return error;
    if (!chosen.insert(choice->op).second)
      return "two strategies are chosen for " + choice->op + "; give only one";
    FailureOr<std::vector<Strategy>> known = listStrategies(context, choice->op);
    if (failed(known))
      return "the strategies of this program cannot be read";
    if (known->empty())
      return "no operation with strategies is called '" + choice->op + "'; 'heddle strategies' lists the operations";
    if (StringRef(choice->strategy).ends_with(".mlir"))
      continue;
    auto strategy = llvm::find_if(*known, [&](const Strategy &s) { return s.name == choice->strategy; });
    if (strategy == known->end())
      return "no strategy is called " + choice->strategy + " for " + choice->op + "; the strategies are " +
             namesOf(*known);
    if (std::optional<std::string> wrong = findWrongKnob(*strategy, *choice))
      return wrong;
  }
  return std::nullopt;
}
