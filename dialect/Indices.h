//===- Indices.h - walks over the indices of a shape ------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_INDICES_H
#define HEDDLE_DIALECT_INDICES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle {

/// Calls `body` with every index of `shape` in row-major order.
void forEachIndex(llvm::ArrayRef<int64_t> shape, llvm::function_ref<void(llvm::ArrayRef<int64_t>)> body);

} // namespace heddle

#endif // HEDDLE_DIALECT_INDICES_H
