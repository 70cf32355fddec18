//===- NamedSizes.h - the sizes that callers pass ---------------*- C++ -*-===//

#ifndef HEDDLE_ABI_NAMEDSIZES_H
#define HEDDLE_ABI_NAMEDSIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

class Sizes;

/// A size with a name, which callers pass.
struct NamedSize {
  std::string name, identifier;   // the model's name; a C identifier made from it, unique in its header
  int64_t low, high;              // the range, both ends inclusive; equal if the size is fixed
  std::optional<unsigned> number; // the index among the sizes that lie in ranges

  bool isFixed() const { return !number; }
};

/// The sizes that lie in ranges, and the fixed sizes that have a name. The order is that in which first inputs, then
/// outputs use them; it does not depend on which sizes lie in ranges. A size whose name is a sum of others ("past +
/// new") is left out. Identifiers are not set.
std::vector<NamedSize> readNamedSizes(mlir::func::FuncOp main, const Sizes &sizes);

} // namespace heddle

#endif // HEDDLE_ABI_NAMEDSIZES_H
