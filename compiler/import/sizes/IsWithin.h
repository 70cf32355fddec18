//===- IsWithin.h - checks indices for all sizes ----------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_ISWITHIN_H
#define HEDDLE_IMPORT_SIZES_ISWITHIN_H

#include "Dim.h"

namespace heddle {

/// Whether an index expression is known to lie in [low, high) at every position of a tensor of shape `shape`, for all
/// sizes.
bool isWithin(const SizeExpression &index, llvm::ArrayRef<Dim> shape, const Dim &low, const Dim &high);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_ISWITHIN_H
