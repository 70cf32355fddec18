//===- Sums.h - sizes that are sums of others -------------------*- C++ -*-===//
//
// Keys of a past and new ones are concatenated: their number is a size, too, and exporters call a dimension that has it
// "past + new".
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_SIZES_SUMS_H
#define HEDDLE_IMPORT_SIZES_SUMS_H

#include "heddle/Import.h"

namespace heddle {

/// A size that is the sum of others, and a number.
struct DimSum {
  std::vector<std::string> terms;
  int64_t plus = 0;
};

/// "past + new + 1"
std::string nameOf(const DimSum &sum);

/// What `text` says if it is a sum of at least two names among `names` and numbers; none where it is something else.
std::optional<DimSum> parseSum(llvm::StringRef text, llvm::ArrayRef<std::string> names);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_SUMS_H
