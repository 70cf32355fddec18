//===- ShrinkOperation.cpp - reduction of quoted operations ---------------===//
//
// A smaller quoted operation has one knob fewer, or a smaller number or range
// in one knob. It may be invalid; then it fails in another way, and the
// reduction discards it.
//
//===----------------------------------------------------------------------===//

#include "Shrink.h"

#include "llvm/ADT/StringExtras.h"

/// Returns up to three positive numbers below `number`, in ascending order.
static std::vector<int64_t> lessThan(int64_t number) {
  std::vector<int64_t> less;
  for (int64_t other : {int64_t(1), number / 2, number - 1})
    if (other > 0 && other < number && (less.empty() || other > less.back()))
      less.push_back(other);
  return less;
}

/// Returns simpler values of a knob: for a number, smaller numbers; for a range, each of its ends and ranges with a
/// smaller upper end. Returns nothing for other values.
static std::vector<std::string> smallerValues(llvm::StringRef value) {
  std::vector<std::string> values;
  auto [first, last] = value.split("..");
  int64_t low, high;
  if (first.getAsInteger(10, low))
    return values;
  if (last.empty()) {
    for (int64_t number : lessThan(low))
      values.push_back(std::to_string(number));
    return values;
  }
  if (last.getAsInteger(10, high))
    return values;
  values.push_back(std::to_string(high));
  values.push_back(std::to_string(low));
  for (int64_t number : lessThan(high))
    if (number >= low)
      values.push_back(std::to_string(low) + ".." + std::to_string(number));
  return values;
}

std::vector<std::string> smallerOperations(const std::string &operation) {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(operation).split(words, ' ', -1, /*KeepEmpty=*/false);
  std::vector<std::string> choices;
  for (size_t i = 1; i < words.size(); ++i) {
    llvm::SmallVector<llvm::StringRef> fewer = words;
    fewer.erase(fewer.begin() + i);
    choices.push_back(llvm::join(fewer, " "));
  }
  for (size_t i = 1; i < words.size(); ++i) {
    auto [name, value] = words[i].split('=');
    for (const std::string &other : smallerValues(value)) {
      std::string word = name.str() + "=" + other;
      llvm::SmallVector<llvm::StringRef> changed = words;
      changed[i] = word;
      choices.push_back(llvm::join(changed, " "));
    }
  }
  return choices;
}
