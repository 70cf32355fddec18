//===- StoreInBytes.h - a weight as bytes and their scales ------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_STOREINBYTES_H
#define HEDDLE_DIALECT_STOREINBYTES_H

#include "Heddle.h"

namespace heddle {

/// The numbers of `weight`, of floats, as f32 that bytes stand for: each block of elements has a scale of its own, and
/// rows that are `exact`, in ascending order, are stored whole.
mlir::Value storeInBytes(mlir::OpBuilder &b, WeightOp weight, llvm::ArrayRef<int64_t> block,
                         llvm::ArrayRef<int64_t> exact);

} // namespace heddle

#endif // HEDDLE_DIALECT_STOREINBYTES_H
