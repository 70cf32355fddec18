//===- StoreInBytes.h - quantization of a weight to bytes -------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_STOREINBYTES_H
#define HEDDLE_DIALECT_STOREINBYTES_H

#include "Heddle.h"

namespace heddle {

/// Quantizes a weight with floating-point elements: creates a weight of i8 elements and a weight of their scales, which
/// the library stores instead of `weight`. Returns the f32 result of a heddle.dequantize of the new weights, with which
/// the caller must replace all uses of `weight`. Each block of elements has its own scale; `block` is the size of a
/// block along each dimension. The rows (indices along dimension 0) in `outliers`, which is ascending, are not
/// quantized but stored as f32.
mlir::Value storeInBytes(mlir::OpBuilder &b, WeightOp weight, llvm::ArrayRef<int64_t> block,
                         llvm::ArrayRef<int64_t> outliers);

} // namespace heddle

#endif // HEDDLE_DIALECT_STOREINBYTES_H
