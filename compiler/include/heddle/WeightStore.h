//===- WeightStore.h - tensors that heddle.weight names ---------*- C++ -*-===//
//
// Weights are never stored as data in the IR: `heddle.weight "name"` refers to a tensor of a store by its name. The
// bytes of tensors that come from a file are not copied: the store keeps the file mapped.
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

/// An owner of bytes that belong to tensors. `mapping` is the whole mapped file, if the bytes come from one.
struct BytesOwner {
  BytesOwner() = default;
  template <typename T>
  BytesOwner(std::shared_ptr<T> owner) : owner(std::move(owner)) {}
  BytesOwner(std::shared_ptr<llvm::MemoryBuffer> buffer);

  std::shared_ptr<void> owner;
  llvm::ArrayRef<char> mapping;
};

/// Tensors by name.
class WeightStore {
public:
  /// Adds a tensor. The store keeps `keepAlive` alive during its own lifetime. Returns false and adds nothing if the
  /// store already contains a tensor of this name, if the type cannot be stored, or if the number of bytes does not
  /// match the type.
  bool add(llvm::StringRef name, mlir::RankedTensorType type, llvm::ArrayRef<char> bytes, BytesOwner keepAlive);

  /// Adds a tensor whose bytes the store owns.
  bool add(llvm::StringRef name, mlir::RankedTensorType type, std::vector<char> bytes);

  /// Adds a tensor of another store under the name `as`; returns false in the same cases as `add`, or if `other` has no
  /// tensor `name`.
  bool addFrom(const WeightStore &other, llvm::StringRef name, llvm::StringRef as);

  /// Whether the tensor `name` of this store has the same type and bytes as the tensor `as` of the other store, or as
  /// its tensor `name` if `as` is "". Two tensors at the same offset of two mappings of the same size are assumed to
  /// come from the same file.
  bool hasSame(llvm::StringRef name, const WeightStore &other, llvm::StringRef as = "") const;

  /// The tensor of this name, or null. The pointer is valid until the next add.
  const StoredTensor *find(llvm::StringRef name) const;

  /// The names in the order in which they were added.
  std::vector<llvm::StringRef> names() const;

  /// Releases the memory of all mapped files; a later access reads the bytes from the files again.
  void dropPages() const;

private:
  /// The owner whose mapped file contains `bytes`; null if there is none.
  const BytesOwner *ownerOf(llvm::ArrayRef<char> bytes) const;

  llvm::StringMap<unsigned> index; // the position of each tensor in `tensors`, by name
  std::vector<std::pair<std::string, StoredTensor>> tensors;
  std::vector<BytesOwner> owners;
};

/// The number of bytes of one stored element: 1 for i1 and i8, else the width in bytes. Returns nothing for a type that
/// a store does not support.
std::optional<int64_t> storedElementSize(mlir::Type element);

/// The number of bytes of a stored tensor. Nothing if the type is dynamic, cannot be stored, or is too large to count.
std::optional<int64_t> storedSize(mlir::RankedTensorType type);

} // namespace heddle

#endif // HEDDLE_WEIGHTSTORE_H
