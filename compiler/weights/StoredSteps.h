//===- StoredSteps.h - quantization steps on bytes --------------*- C++ -*-===//
//
// Each function computes the result of one recipe step as bytes. The caller must have checked the types, and `result`
// must have the size of the step's result.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_WEIGHTS_STOREDSTEPS_H
#define HEDDLE_WEIGHTS_STOREDSTEPS_H

#include "RecipeSteps.h"

#include "Heddle.h"

namespace heddle {

/// Divides the elements by the scales that scalesBytes computes, rounds the quotients to integers of `bits` bits, and
/// stores each integer in a byte. Rows in `outliers`, and blocks with an element that is not finite, become 0.
void quantizeBytes(const StoredTensor &tensor, int64_t bits, llvm::ArrayRef<int64_t> block,
                   llvm::ArrayRef<int64_t> outliers, Bytes result);
/// Computes the f32 scale of each block of the shape `block`. The rows in `outliers` do not contribute to scales.
void scalesBytes(const StoredTensor &tensor, int64_t bits, llvm::ArrayRef<int64_t> block,
                 llvm::ArrayRef<int64_t> outliers, Bytes result);
/// Copies the rows with the indices `rows`.
void takeBytes(const StoredTensor &tensor, llvm::ArrayRef<int64_t> rows, Bytes result);
/// Writes the numbers as i32.
void numbersBytes(llvm::ArrayRef<int64_t> numbers, Bytes result);
/// Writes `count` masks of 32 bits, then the elements of `tensor`, which are indices of masks. A mask is 0 if its index
/// is among the elements, otherwise all its bits are 1.
void keptBitsBytes(const StoredTensor &tensor, int64_t count, Bytes result);
/// Divides the rows of an i8 matrix into blocks of `block` rows, and computes the i32 sum of each column of each block.
void blockSumsBytes(const StoredTensor &tensor, int64_t block, Bytes result);
/// Replaces each byte of a packed matrix [.., K, panel, depth] by its index in `values`, a number of 4 bits. The rows
/// of the matrix are in groups of `rows`. An element of row i of a group and the element of row i + rows / 2 at the
/// same place share a byte of the result: the first has the lower 4 bits, and the second has the upper 4 bits. Zeros,
/// with which panels are padded, have the index 0 if they are not among the values. Returns another number that is not
/// among the values, if there is one; then the result is not written.
std::optional<int64_t> joinNibblesBytes(const StoredTensor &tensor, int64_t rows, llvm::ArrayRef<int64_t> values,
                                        Bytes result);
/// Writes the lower and then the higher 4 bits of each byte as a byte each.
void nibblesBytes(const StoredTensor &tensor, Bytes result);
/// Adds `number` to each element, an i32 or a byte, with wraparound.
void addBytes(const StoredTensor &tensor, int64_t number, Bytes result);
/// Reads the codes, the scales or the offsets of blocks of a format.
void unpackBytes(const StoredTensor &tensor, Format format, FormatPart part, Bytes result);

} // namespace heddle

#endif // HEDDLE_WEIGHTS_STOREDSTEPS_H
