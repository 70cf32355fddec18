//===- NamedSizes.h - what callers are asked for ----------------*- C++ -*-===//

#ifndef HEDDLE_ABI_NAMEDSIZES_H
#define HEDDLE_ABI_NAMEDSIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

class Sizes;

/// A size with a name, which callers bring.
struct NamedSize {
  std::string name, identifier;   // the model's; the same as a C identifier, unique in its header
  int64_t low, high;              // both inclusive; the same where it is fixed
  std::optional<unsigned> number; // among the sizes that lie in ranges

  bool isFixed() const { return !number; }
};

/// The sizes in ranges, and those that are fixed and have a name, in the order in which inputs, then outputs, use them
/// first: what lies in a range decides nothing. What is called a sum of others ("past + new") follows from these.
/// Without identifiers.
std::vector<NamedSize> readNamedSizes(mlir::func::FuncOp main, const Sizes &sizes);

} // namespace heddle

#endif // HEDDLE_ABI_NAMEDSIZES_H
