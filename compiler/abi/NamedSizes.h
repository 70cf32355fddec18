//===- NamedSizes.h - the sizes that callers pass ---------------*- C++ -*-===//

#ifndef HEDDLE_ABI_NAMEDSIZES_H
#define HEDDLE_ABI_NAMEDSIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

class Sizes;

/// A size that has a name and that callers pass.
struct NamedSize {
  std::string name, identifier;   // the name in the model; a C identifier, unique in its header
  int64_t low, high;              // the range, both ends inclusive; equal if the size is fixed
  std::optional<unsigned> number; // the index among the sizes that lie in ranges

  bool isFixed() const { return !number; }
};

/// Returns the sizes that lie in ranges, and the fixed sizes that have a name: first those that inputs use, then ranges
/// that no input uses, then fixed sizes that only outputs use. The order among the sizes of inputs does not depend on
/// which of them lie in ranges. The result does not contain fixed sizes whose name is a sum of other names or numbers
/// ("past + new"). The identifiers are not set.
std::vector<NamedSize> readNamedSizes(mlir::func::FuncOp main, const Sizes &sizes);

} // namespace heddle

#endif // HEDDLE_ABI_NAMEDSIZES_H
