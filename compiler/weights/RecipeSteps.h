//===- RecipeSteps.h - compute the steps of recipes -------------*- C++ -*-===//
//
// A recipe is the list of steps that compute a weight from a stored tensor when
// a library is written. The functions with a parameter `result` compute the
// bytes of the result of one step. The caller must have checked the types, and
// `result` must have the size of the step's result.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_WEIGHTS_RECIPESTEPS_H
#define HEDDLE_WEIGHTS_RECIPESTEPS_H

#include "heddle/WeightStore.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace heddle {

/// A part of a concat step: the pair [name, recipe].
struct ConcatPart {
  llvm::StringRef name;
  mlir::ArrayAttr recipe;
};
/// Returns the part that `attribute` describes; nothing if the attribute is not such a pair.
std::optional<ConcatPart> getConcatPart(mlir::Attribute attribute);

/// The bytes of a step's result.
using Bytes = llvm::MutableArrayRef<char>;

void transposeBytes(const StoredTensor &tensor, llvm::ArrayRef<int64_t> permutation, Bytes result);
/// Copies `sizes` elements in each dimension, beginning at `offsets`.
void sliceBytes(const StoredTensor &tensor, llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<int64_t> sizes,
                Bytes result);
/// Converts floats or i32 to the float type `element`.
void castBytes(const StoredTensor &tensor, mlir::Type element, Bytes result);
/// Stores a matrix in panels of `panel` columns. In a panel, the elements of `depth` successive rows in the same column
/// are neighbours. The result consists of `interleaved` parts, and panel i is in part i % interleaved. The bytes of
/// `result` must be 0, because the padding is not written.
void packBytes(const StoredTensor &tensor, int64_t panel, int64_t interleaved, int64_t depth, Bytes result);
/// Copies one part of a concat step to the index `position` along `axis` of a result of type `whole`, and advances
/// `position` by the extent of the part.
void copyIntoConcat(const StoredTensor &part, int64_t axis, mlir::RankedTensorType whole, int64_t &position,
                    Bytes result);

} // namespace heddle

#endif // HEDDLE_WEIGHTS_RECIPESTEPS_H
