//===- StoreInBytes.h - quantization of a weight to bytes -------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_STOREINBYTES_H
#define HEDDLE_DIALECT_STOREINBYTES_H

#include "Heddle.h"

namespace heddle {

/// Replaces `weight`, which has floating-point elements, by a weight of i8 elements: the library stores the quantized
/// elements and their scales. Returns the f32 result of a heddle.dequantize of them. Each block of elements has its own
/// scale; `block` is the size of a block along each dimension. The rows (indices along dimension 0) in `outliers`,
/// which is ascending, are not quantized but stored as f32. The caller replaces the uses of `weight`.
mlir::Value storeInBytes(mlir::OpBuilder &b, WeightOp weight, llvm::ArrayRef<int64_t> block,
                         llvm::ArrayRef<int64_t> outliers);

} // namespace heddle

#endif // HEDDLE_DIALECT_STOREINBYTES_H
