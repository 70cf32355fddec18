//===- Refusals.cpp - expected errors of random cases ---------------------===//

#include "Refusals.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Regex.h"

/// Errors for documented limitations, and errors that the options of the case cause.
static constexpr llvm::StringLiteral refusals[] = {
    "error: strategy [a-z-]+: ", // the strategy of the case is not eligible
    "are for CPUs, not for devices yet",
    // The model has no layer of the kind that is to be stored in fewer bits.
    "error: precision [a-z0-9,:-]+: the model has no (linear|feed-forward|table|attention)",
    "two strategies are chosen", // one by the case and one by --with
    // For sizes in ranges: an offset is a sum of multiples of several products of sizes.
    "a number is not a constant plus a multiple of one product of sizes",
};

std::optional<std::string> findRefusal(llvm::StringRef error) {
  const auto *found = llvm::find_if(refusals, [&](llvm::StringRef text) { return llvm::Regex(text).match(error); });
  return found == std::end(refusals) ? std::nullopt : std::optional(found->str());
}
