//===- UnmaskedKeys.h - the keys that a mask keeps --------------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_UNMASKEDKEYS_H
#define HEDDLE_COMPILER_LOWERING_UNMASKEDKEYS_H

#include "TileBuilder.h"

namespace heddle {

/// For each batch entry, the range of keys from the first one that a mask keeps to the last one: tensors [batch] of
/// indices. If the mask keeps no key, the range consists of all keys. If the tensors are null, there are no ranges,
/// and all keys are read.
struct UnmaskedKeys {
  mlir::Value first, end; // `end` is the index after the last key

  explicit operator bool() const { return first != nullptr; }
  /// Emits code that finds the ranges for a mask of bytes [1 or batch, 1, 1, keys].
  static UnmaskedKeys emit(TileBuilder &b, mlir::Value mask, int64_t batch, const Extent &keys);
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_UNMASKEDKEYS_H
