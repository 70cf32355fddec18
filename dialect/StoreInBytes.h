//===- StoreInBytes.h - quantization of a weight to bytes -------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_STOREINBYTES_H
#define HEDDLE_DIALECT_STOREINBYTES_H

#include "Heddle.h"

namespace heddle {

/// Quantizes `weight`, which has floating-point elements, to bytes and returns the dequantized f32 tensor. Each block
/// of elements, of the shape `block`, has its own scale. The rows whose indices are in `outliers` (ascending) are
/// stored as f32 instead.
mlir::Value storeInBytes(mlir::OpBuilder &b, WeightOp weight, llvm::ArrayRef<int64_t> block,
                         llvm::ArrayRef<int64_t> outliers);

} // namespace heddle

#endif // HEDDLE_DIALECT_STOREINBYTES_H
