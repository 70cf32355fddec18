//===- Choices.cpp - knobs with several values ----------------------------===//

#include "Candidates.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;

FailureOr<std::vector<std::string>> heddle::bench::expandChoice(StringRef text, std::string &error) {
  // As parseStrategyChoice finds the knobs: after the last colon that an assignment follows.
  size_t colon = text.rfind(':');
  StringRef knobs;
  if (colon != StringRef::npos && text.drop_front(colon).contains('=') && text.take_front(colon).contains('='))
    knobs = text.drop_front(colon + 1);
  StringRef head = knobs.empty() ? text : text.take_front(colon);
  std::vector<std::pair<std::string, std::vector<std::string>>> values;
  while (!knobs.empty()) {
    auto [part, rest] = knobs.split(',');
    auto [name, value] = part.split('=');
    if (part.contains('='))
      values.push_back({name.str(), {value.str()}});
    else if (!values.empty())
      values.back().second.push_back(part.str());
    knobs = rest;
  }
  std::vector<std::string> expanded = {""};
  for (auto &[name, list] : values) {
    std::vector<std::string> next;
    for (const std::string &prefix : expanded)
      for (const std::string &value : list)
        next.push_back(prefix + (prefix.empty() ? ":" : ",") + name + "=" + value);
    expanded = std::move(next);
  }
  for (std::string &choice : expanded) {
    choice = head.str() + choice;
    if (failed(parseStrategyChoice(choice, error)))
      return failure();
  }
  return expanded;
}
