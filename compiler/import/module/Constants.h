//===- Constants.h - elements that are known at import ----------*- C++ -*-===//
//
// Arithmetic on constants is folded during the import. A constant is the result of an arith.constant. The functions
// here compute with its elements as plain bytes, one byte for an i1, and write out at most `foldLimit` elements.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_MODULE_CONSTANTS_H
#define HEDDLE_IMPORT_MODULE_CONSTANTS_H

#include "Indices.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

#include <optional>
#include <vector>

namespace heddle {

using Numbers = llvm::SmallVector<int64_t>;

/// The maximum number of elements that folding writes out for one constant. A constant whose elements are all equal is
/// never written out.
constexpr int64_t foldLimit = int64_t(1) << 20;

/// The maximum size of all such constants of one model in bytes. Otherwise a small file could demand any amount of
/// memory.
constexpr int64_t foldBudget = int64_t(256) << 20;

/// The elements of a constant that is not a splat, in row-major order.
std::vector<char> bytesOf(mlir::DenseElementsAttr elements);
mlir::DenseElementsAttr fromBytes(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes);

/// Result element [i0, i1, ..] is element base + i0*strides[0] + i1*strides[1] + .. of `source`, counted in row-major
/// order.
mlir::DenseElementsAttr gatherStrided(mlir::DenseElementsAttr source, llvm::ArrayRef<int64_t> shape,
                                      int64_t base, llvm::ArrayRef<int64_t> strides);

/// The integers (or bools) of a constant, in row-major order.
std::optional<Numbers> integersOf(mlir::DenseElementsAttr elements);
/// The same of a value that is constant at all sizes; none for others.
std::optional<Numbers> integersOf(mlir::Value value);

/// Row-major strides in elements.
Numbers stridesOf(llvm::ArrayRef<int64_t> shape);

} // namespace heddle

#endif // HEDDLE_IMPORT_MODULE_CONSTANTS_H
