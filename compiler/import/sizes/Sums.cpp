//===- Sums.cpp - sizes that are sums of sizes ----------------------------===//

#include "Sums.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

std::string heddle::nameOf(const DimSum &sum) {
  std::string name;
  for (const std::string &term : sum.terms)
    name += (name.empty() ? "" : " + ") + term;
  if (sum.plus)
    name += (sum.plus < 0 ? " - " : " + ") + std::to_string(std::abs(sum.plus));
  return name;
}

std::optional<DimSum> heddle::parseSum(StringRef text, ArrayRef<std::string> names) {
  DimSum sum;
  SmallVector<StringRef> words;
  text.split(words, '+');
  for (StringRef word : words) {
    word = word.trim();
    int64_t number;
    if (llvm::is_contained(names, word))
      sum.terms.push_back(word.str());
    else if (word.getAsInteger(10, number) || number < 0 || llvm::AddOverflow(sum.plus, number, sum.plus))
      return std::nullopt;
  }
  return words.size() > 1 && !sum.terms.empty() ? std::optional(sum) : std::nullopt;
}
