//===- StrategyChoice.cpp - parses OP=NAME|FILE[:knob=value,...] ----------===//

#include "heddle/KnobNames.h"
#include "heddle/Strategy.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;

std::pair<StringRef, StringRef> heddle::splitKnobs(StringRef choice) {
  // The path of a file may contain a colon. So a colon begins the knobs only if it follows `OP=` and precedes an
  // assignment.
  size_t colon = choice.rfind(':');
  if (colon == StringRef::npos || choice.ends_with(".mlir") || !choice.take_front(colon).contains('=') ||
      !choice.drop_front(colon).contains('='))
    return {choice, ""};
  return {choice.take_front(colon), choice.drop_front(colon + 1)};
}

FailureOr<StrategyChoice> heddle::parseStrategyChoice(StringRef text, std::string &error) {
  StrategyChoice choice;
  auto [head, knobs] = splitKnobs(text);
  auto [op, strategy] = head.split('=');
  if (op.empty() || strategy.empty()) {
    error = "expected OP=NAME or OP=FILE, optionally followed by :knob=value,...; found '" + text.str() + "'";
    return failure();
  }
  choice.op = op.str();
  choice.strategy = strategy.str();
  if (knobs.empty())
    return choice;
  for (StringRef knob : llvm::split(knobs, ',')) {
    auto [written, value] = knob.split('=');
    StringRef name = currentKnobName(KnobKind::Strategy, written);
    int64_t number;
    if (name.empty() || value.getAsInteger(10, number)) {
      error = "expected knob=value with an integer as value; found '" + knob.str() + "' in '" + text.str() + "'";
      return failure();
    }
    if (!choice.knobs.try_emplace(name.str(), number).second) {
      error = "knob `" + name.str() + "` is given twice in '" + text.str() + "'";
      return failure();
    }
  }
  return choice;
}
