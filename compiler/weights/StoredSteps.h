//===- StoredSteps.h - quantization steps on bytes --------------*- C++ -*-===//
//
// Each function computes the bytes of the result of one recipe step. The caller must have checked the types, and
// `result` must have the size of the step's result.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_WEIGHTS_STOREDSTEPS_H
#define HEDDLE_WEIGHTS_STOREDSTEPS_H

#include "RecipeSteps.h"

namespace heddle {

void quantizeBytes(const StoredTensor &tensor, int64_t bits, llvm::ArrayRef<int64_t> block,
                   llvm::ArrayRef<int64_t> outliers, Bytes result);
void scalesBytes(const StoredTensor &tensor, int64_t bits, llvm::ArrayRef<int64_t> block,
                 llvm::ArrayRef<int64_t> outliers, Bytes result);
void takeBytes(const StoredTensor &tensor, llvm::ArrayRef<int64_t> rows, Bytes result);
void numbersBytes(llvm::ArrayRef<int64_t> numbers, Bytes result);
void keptBitsBytes(const StoredTensor &tensor, int64_t count, Bytes result);
void blockSumsBytes(const StoredTensor &tensor, int64_t block, Bytes result);
void nibblesBytes(const StoredTensor &tensor, Bytes result);
void addBytes(const StoredTensor &tensor, int64_t number, Bytes result);

} // namespace heddle

#endif // HEDDLE_WEIGHTS_STOREDSTEPS_H
