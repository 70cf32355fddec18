//===- Shrink.cpp - reduction of failing cases ----------------------------===//

#include "Shrink.h"

#include <algorithm>

/// For each option in the list, returns a copy of the list without this option and its value.
static std::vector<std::vector<std::string>> fewerOptions(const std::vector<std::string> &options) {
  std::vector<std::vector<std::string>> choices;
  for (size_t begin = 0, end; begin < options.size(); begin = end) {
    end = begin + 1;
    while (end < options.size() && options[end][0] != '-')
      ++end;
    choices.push_back(options);
    choices.back().erase(choices.back().begin() + begin, choices.back().begin() + end);
  }
  return choices;
}

/// Returns the cases that are one step smaller: without an option, or with a smaller operation or module.
static std::vector<RandomCase> smaller(const RandomCase &chosen) {
  std::vector<RandomCase> cases;
  for (std::vector<std::string> &options : fewerOptions(chosen.options)) {
    cases.push_back(chosen);
    cases.back().options = std::move(options);
  }
  for (std::string &text : chosen.isModule() ? smallerModules(chosen.text) : smallerOperations(chosen.text)) {
    cases.push_back(chosen);
    cases.back().text = std::move(text);
  }
  return cases;
}

RandomCase shrink(const RandomCase &chosen, const FailsAlike &fails, unsigned tries) {
  RandomCase best = chosen;
  // When the case has become smaller, `next` is not reset: the changes with smaller indices were just tried on the
  // larger case without success, so they would probably not succeed now.
  size_t next = 0, failed = 0;
  for (std::vector<RandomCase> cases = smaller(best); tries > 0 && failed < cases.size(); --tries) {
    next %= cases.size();
    if (fails(cases[next])) {
      best = cases[next];
      cases = smaller(best);
      failed = 0;
    } else {
      ++next;
      ++failed;
    }
  }
  return best;
}
