//===- SameCode.h - code that does not depend on what stood for sizes -----===//

#ifndef HEDDLE_COMPILE_SAMECODE_H
#define HEDDLE_COMPILE_SAMECODE_H

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// Whether two modules at stage llvm, made of one model with different numbers in the place of its sizes (Sizes.h), are
/// the same but for what says which numbers these are. An error names the first function that is not.
mlir::LogicalResult haveSameCode(mlir::ModuleOp one, mlir::ModuleOp other);

} // namespace heddle

#endif // HEDDLE_COMPILE_SAMECODE_H
