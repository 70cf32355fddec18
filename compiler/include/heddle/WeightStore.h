//===- WeightStore.h - the tensors that heddle.weight names -----*- C++ -*-===//
//
// Weights are never data in IR: `heddle.weight "name"` names a tensor of a
// store, whose bytes stay in the mapped file they came from.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_WEIGHTSTORE_H
#define HEDDLE_WEIGHTSTORE_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <memory>

namespace heddle {

/// A row-major tensor of static shape. The bytes belong to the store, live as
/// long as it does and need not be aligned. Elements are little-endian, an i1
/// takes one byte.
struct StoredTensor {
  mlir::RankedTensorType type;
  llvm::ArrayRef<char> bytes;
};

class WeightStore {
public:
  /// Adds a tensor; the store holds `keepAlive` (a mapping, a buffer) as long
  /// as it lives. False, and nothing added, when the name is taken or the
  /// number of bytes is not what the type needs.
  bool add(llvm::StringRef name, mlir::RankedTensorType type, llvm::ArrayRef<char> bytes,
           std::shared_ptr<void> keepAlive);

  /// Adds a tensor whose bytes the store owns.
  bool add(llvm::StringRef name, mlir::RankedTensorType type, std::vector<char> bytes);

  /// The tensor of that name, or null. The pointer is good until the next add.
  const StoredTensor *find(llvm::StringRef name) const;

  /// Names in the order of their addition.
  std::vector<llvm::StringRef> names() const;

private:
  llvm::StringMap<unsigned> index;
  std::vector<std::pair<std::string, StoredTensor>> tensors;
  std::vector<std::shared_ptr<void>> owners;
};

/// Bytes of one stored element: 1 for i1 and i8, else the width in bytes. None
/// for a type that a store cannot hold.
std::optional<int64_t> storedElementSize(mlir::Type element);

/// Bytes of a stored tensor; none if the type is dynamic, not storable, or too
/// large to count.
std::optional<int64_t> storedSize(mlir::RankedTensorType type);

} // namespace heddle

#endif // HEDDLE_WEIGHTSTORE_H
