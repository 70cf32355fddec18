//===- RecipeSteps.h - the steps of a recipe on bytes -----------*- C++ -*-===//
//
// Each function computes the bytes of one step's result. The caller has checked the types, and `result` has as many
// bytes as the step's result.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_WEIGHTS_RECIPESTEPS_H
#define HEDDLE_WEIGHTS_RECIPESTEPS_H

#include "heddle/WeightStore.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace heddle {

/// The pair [name, recipe] of a part of a concat step.
struct ConcatPart {
  llvm::StringRef name;
  mlir::ArrayAttr recipe;
};
std::optional<ConcatPart> getConcatPart(mlir::Attribute attribute);

using Bytes = llvm::MutableArrayRef<char>;

void transposeBytes(const StoredTensor &tensor, llvm::ArrayRef<int64_t> permutation, Bytes result);
void sliceBytes(const StoredTensor &tensor, llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<int64_t> sizes,
                Bytes result);
void castBytes(const StoredTensor &tensor, mlir::Type element, Bytes result);
void packBytes(const StoredTensor &tensor, int64_t panel, int64_t interleaved, int64_t depth, Bytes result);
/// Copies `part` to `position` along `axis` of a result of type `whole`, and advances the position.
void copyIntoConcat(const StoredTensor &part, int64_t axis, mlir::RankedTensorType whole, int64_t &position,
                    Bytes result);

} // namespace heddle

#endif // HEDDLE_WEIGHTS_RECIPESTEPS_H
