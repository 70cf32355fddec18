//===- Refusals.cpp - what heddle may say no to ---------------------------===//

#include "Refusals.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Regex.h"

/// What is documented as not supported, or what the case asked for.
static constexpr llvm::StringLiteral refusals[] = {
    "error: strategy [a-z-]+: ", // a strategy that was chosen is not eligible, and says why
    "are for CPUs, not for devices yet",
    "error: precision [a-z0-9,:-]+: the model has no linear or", // nothing in it can be in fewer bits
    "two strategies are chosen", // by the case and by --with
    // Of sizes in ranges: where a place is the sum of multiples of several products of sizes.
    "a number is not a fixed one and a multiple of one product of sizes",
};

std::optional<std::string> findRefusal(llvm::StringRef error) {
  const auto *found = llvm::find_if(refusals, [&](llvm::StringRef text) { return llvm::Regex(text).match(error); });
  return found == std::end(refusals) ? std::nullopt : std::optional(found->str());
}
