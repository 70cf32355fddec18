//===- Sweep.cpp - expansion of lists of sizes ----------------------------===//

#include "Sweep.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

std::vector<std::string> heddle::bench::expandSweep(StringRef operation) {
  SmallVector<StringRef> words;
  SplitString(operation, words);
  std::vector<std::string> expanded = {""};
  for (StringRef word : words) {
    auto [name, list] = word.split('=');
    SmallVector<std::string> choices;
    // The value of `window` is a pair. A list of ranges, such as m=1,2..512, describes the classes of sizes of a single
    // library. So neither is expanded.
    if (name == "window" || !list.contains(',') || list.contains("..")) {
      choices.push_back(word.str());
    } else {
      SmallVector<StringRef> values;
      list.split(values, ',');
      for (StringRef value : values)
        choices.push_back((name + "=" + value).str());
    }
    std::vector<std::string> next;
    for (const std::string &prefix : expanded)
      for (const std::string &choice : choices)
        next.push_back(prefix.empty() ? choice : prefix + " " + choice);
    expanded = std::move(next);
  }
  return expanded;
}
