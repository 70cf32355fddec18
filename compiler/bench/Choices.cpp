//===- Choices.cpp - expansion of choices that list knob values -----------===//
//
// A choice is an argument of --strategy, such as "OP=NAME:k=1,2,j=3". It selects
// the strategy NAME for an operation and sets the strategy's parameters (knobs).
// A knob may list several values; the expansion has one choice for each
// combination: "OP=NAME:k=1,j=3" and "OP=NAME:k=2,j=3".
//
//===----------------------------------------------------------------------===//

#include "Candidates.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;

FailureOr<std::vector<std::string>> heddle::bench::expandChoice(StringRef text, std::string &error) {
  auto [head, knobs] = splitKnobs(text);
  // Pairs of a prefix and the values that follow the prefix, such as {"k=", {"1", "2"}}.
  std::vector<std::pair<std::string, std::vector<std::string>>> values;
  for (StringRef part : llvm::split(knobs, ',')) {
    if (knobs.empty())
      break;
    auto [name, value] = part.split('=');
    if (part.contains('='))
      values.push_back({(name + "=").str(), {value.str()}});
    else if (values.empty())
      values.push_back({"", {part.str()}}); // not a knob; parseStrategyChoice reports the error below
    else
      values.back().second.push_back(part.str());
  }
  std::vector<std::string> expanded = {""};
  for (auto &[name, list] : values) {
    std::vector<std::string> next;
    for (const std::string &prefix : expanded)
      for (const std::string &value : list)
        next.push_back(prefix + (prefix.empty() ? ":" : ",") + name + value);
    expanded = std::move(next);
  }
  for (std::string &choice : expanded) {
    choice = head.str() + choice;
    if (failed(parseStrategyChoice(choice, error)))
      return failure();
  }
  return expanded;
}
