//===- StrategyChoice.cpp - OP=NAME|FILE[:knob=value,...] -----------------===//

#include "heddle/Strategy.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;

FailureOr<StrategyChoice> heddle::parseStrategyChoice(StringRef text, std::string &error) {
  StrategyChoice choice;
  auto [op, rest] = text.split('=');
  // A path may hold a colon: knobs start at the last one that an assignment follows.
  size_t colon = rest.rfind(':');
  StringRef knobs;
  if (colon != StringRef::npos && rest.drop_front(colon).contains('=')) {
    knobs = rest.drop_front(colon + 1);
    rest = rest.take_front(colon);
  }
  if (op.empty() || rest.empty()) {
    error = "expected OP=NAME or OP=FILE, with :knob=value,... after it; found '" + text.str() + "'";
    return failure();
  }
  choice.op = op.str();
  choice.strategy = rest.str();
  while (!knobs.empty()) {
    auto [knob, more] = knobs.split(',');
    auto [name, value] = knob.split('=');
    int64_t number;
    if (name.empty() || value.getAsInteger(10, number)) {
      error = "expected knob=value with an integer as value; found '" + knob.str() + "' in '" + text.str() + "'";
      return failure();
    }
    choice.knobs[name.str()] = number;
    knobs = more;
  }
  return choice;
}
