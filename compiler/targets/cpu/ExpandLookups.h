//===- ExpandLookups.h - heddle.lookup as CPU instructions ------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_CPU_EXPANDLOOKUPS_H
#define HEDDLE_TARGETS_CPU_EXPANDLOOKUPS_H

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// Adds a pattern that lowers heddle.lookup to the instruction of a CPU with these features that looks up the bytes of
/// a register in a table, or to selections between the values of the table.
void populateExpandLookups(mlir::RewritePatternSet &patterns, llvm::ArrayRef<std::string> features);

} // namespace heddle

#endif // HEDDLE_TARGETS_CPU_EXPANDLOOKUPS_H
