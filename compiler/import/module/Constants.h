//===- Constants.h - values of constants, for folding -----------*- C++ -*-===//
//
// The importers fold arithmetic on constants, which are results of arith.constant. The functions below convert between
// a constant and its elements, as bytes or as integers; an i1 takes one byte. An operation is not folded if its result
// has more than `foldLimit` elements.
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

/// The maximum number of elements of a folded constant. The limit does not apply to splats, whose elements are all
/// equal and are stored once.
constexpr int64_t foldLimit = int64_t(1) << 20;

/// The maximum total size in bytes of the folded constants of a model. Without this limit, a small file could make the
/// importer allocate any amount of memory.
constexpr int64_t foldBudget = int64_t(256) << 20;

/// The bytes of all elements of a constant, in row-major order. The single element that a splat stores is repeated.
std::vector<char> bytesOf(mlir::DenseElementsAttr elements);
/// The constant with these bytes, in the format that `bytesOf` returns.
mlir::DenseElementsAttr fromBytes(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes);

/// Returns a constant of shape `shape`. Its element [i0, i1, ..] is element base + i0*strides[0] + i1*strides[1] + ..
/// of `source`, counted in row-major order.
mlir::DenseElementsAttr gatherStrided(mlir::DenseElementsAttr source, llvm::ArrayRef<int64_t> shape,
                                      int64_t base, llvm::ArrayRef<int64_t> strides);

/// The integers or bools of a constant, in row-major order. Returns nothing for other element types and for more than
/// `foldLimit` elements.
std::optional<Numbers> integersOf(mlir::DenseElementsAttr elements);
/// The integers or bools of `value`. Returns nothing if `value` is not a constant of integers or bools, if its shape
/// depends on sizes in ranges, or if it has more than `foldLimit` elements.
std::optional<Numbers> integersOf(mlir::Value value);

/// The row-major strides of a tensor, in elements.
Numbers stridesOf(llvm::ArrayRef<int64_t> shape);

} // namespace heddle

#endif // HEDDLE_IMPORT_MODULE_CONSTANTS_H
