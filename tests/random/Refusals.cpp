//===- Refusals.cpp - expected errors of random cases ---------------------===//

#include "Refusals.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Regex.h"

/// Regular expressions for errors that random cases may cause although the compiler is correct: documented limitations,
/// and random options that do not fit the model.
static constexpr llvm::StringLiteral refusals[] = {
    "error: strategy [a-z-]+: ", // the strategy of the case is not eligible
    "are not supported on this device",
    "expects at most [0-9]+ sums a lane", // random knobs give each thread too many sums to keep in registers
    // The model has no layer of the kind that is to be stored in fewer bits.
    "error: precision [a-z0-9,:-]+: the model has no (linear|feed-forward|table|attention)",
    "two strategies are chosen", // one is an option of the case, the other was given to random-cases with --with
    // For sizes in ranges: offsets that are a sum of several products of sizes are not supported.
    "a number is not a constant plus a multiple of one product of sizes",
};

std::optional<std::string> findRefusal(llvm::StringRef error) {
  const auto *found = llvm::find_if(refusals, [&](llvm::StringRef text) { return llvm::Regex(text).match(error); });
  return found == std::end(refusals) ? std::nullopt : std::optional(found->str());
}
