//===- WeightStore.h - tensors that heddle.weight names ---------*- C++ -*-===//
//
// Weights are never stored as data in the IR: `heddle.weight "name"` names a tensor of a store. The bytes stay in the
// mapped file that they come from.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_WEIGHTSTORE_H
#define HEDDLE_WEIGHTSTORE_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace heddle {

/// A row-major tensor of static shape. The store owns the bytes, which live as long as the store and need not be
/// aligned. Elements are little-endian; an i1 takes one byte.
struct StoredTensor {
  mlir::RankedTensorType type;
  llvm::ArrayRef<char> bytes;
};

/// The owner of the bytes of tensors, and the mapping if the bytes are those of a mapped file.
struct BytesOwner {
  BytesOwner() = default;
  template <typename T>
  BytesOwner(std::shared_ptr<T> owner) : owner(std::move(owner)) {}
  BytesOwner(std::shared_ptr<llvm::MemoryBuffer> buffer);

  std::shared_ptr<void> owner;
  llvm::ArrayRef<char> mapping;
};

class WeightStore {
public:
  /// Adds a tensor. The store keeps `keepAlive` alive during its own lifetime. Returns false and adds nothing if the
  /// name is taken, or if the number of bytes is not what the type needs.
  bool add(llvm::StringRef name, mlir::RankedTensorType type, llvm::ArrayRef<char> bytes, BytesOwner keepAlive);

  /// Adds a tensor whose bytes the store owns.
  bool add(llvm::StringRef name, mlir::RankedTensorType type, std::vector<char> bytes);

  /// Adds a tensor of another store under the name `as`; fails in the same cases.
  bool addFrom(const WeightStore &other, llvm::StringRef name, llvm::StringRef as);

  /// Whether the tensor `name` has the same type and bytes here as `as` (or `name` if that is "") has in the other
  /// store. Two tensors at the same offset of two mappings of the same size are assumed to come from the same file.
  bool hasSame(llvm::StringRef name, const WeightStore &other, llvm::StringRef as = "") const;

  /// The tensor of this name, or null. The pointer is valid until the next add.
  const StoredTensor *find(llvm::StringRef name) const;

  /// The names in the order in which they were added.
  std::vector<llvm::StringRef> names() const;

  /// Releases the memory of all mapped files; a later access reads it from the files again.
  void dropPages() const;

private:
  const BytesOwner *ownerOf(llvm::ArrayRef<char> bytes) const;

  llvm::StringMap<unsigned> index;
  std::vector<std::pair<std::string, StoredTensor>> tensors;
  std::vector<BytesOwner> owners;
};

/// The bytes of one stored element: 1 for i1 and i8, else the width in bytes. Nothing for a type that a store cannot
/// hold.
std::optional<int64_t> storedElementSize(mlir::Type element);

/// The bytes of a stored tensor. Nothing if the type is dynamic, cannot be stored, or is too large to count.
std::optional<int64_t> storedSize(mlir::RankedTensorType type);

} // namespace heddle

#endif // HEDDLE_WEIGHTSTORE_H
