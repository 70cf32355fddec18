//===- Sums.h - sizes that are sums of sizes --------------------*- C++ -*-===//
//
// Some models concatenate the keys of a past with new keys. The total number of keys is then a size as well, and
// exporters give a dimension of this size the name "past + new".
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_SIZES_SUMS_H
#define HEDDLE_IMPORT_SIZES_SUMS_H

#include "heddle/Import.h"

namespace heddle {

/// A size that is the sum of other sizes and a number.
struct DimSum {
  std::vector<std::string> terms; // the names of the sizes; a size may occur several times
  int64_t plus = 0;               // the number
};

/// The sum as text, such as "past + new + 1".
std::string nameOf(const DimSum &sum);

/// Parses a sum of at least two terms, each a name in `names` or a non-negative number. Returns nothing for any other
/// text, and for a sum without names.
std::optional<DimSum> parseSum(llvm::StringRef text, llvm::ArrayRef<std::string> names);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_SUMS_H
