//===- Refusals.cpp - what heddle may say no to ---------------------------===//

#include "Refusals.h"

#include "llvm/ADT/STLExtras.h"

/// Parts of errors. What is here is documented as not supported, or the case asked for it.
static constexpr llvm::StringLiteral refusals[] = {
    ": is for ",               // a strategy that was chosen for what it does not lower
    "which this CPU lacks",
};

std::optional<std::string> findRefusal(llvm::StringRef error) {
  const auto *found = llvm::find_if(refusals, [&](llvm::StringRef part) { return error.contains(part); });
  return found == std::end(refusals) ? std::nullopt : std::optional(found->str());
}
