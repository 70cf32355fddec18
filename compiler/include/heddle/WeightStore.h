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
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace heddle {

/// A row-major tensor of static shape. The bytes belong to the store, live as
/// long as it does and need not be aligned. Elements are little-endian, an i1
/// takes one byte.
struct StoredTensor {
  mlir::RankedTensorType type;
  llvm::ArrayRef<char> bytes;
};

/// What holds the bytes of tensors, and whether they are those of a mapped file.
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
  /// Adds a tensor; the store holds `keepAlive` as long as it lives. False, and
  /// nothing added, when the name is taken or the number of bytes is not what the
  /// type needs.
  bool add(llvm::StringRef name, mlir::RankedTensorType type, llvm::ArrayRef<char> bytes, BytesOwner keepAlive);

  /// Adds a tensor whose bytes the store owns.
  bool add(llvm::StringRef name, mlir::RankedTensorType type, std::vector<char> bytes);

  /// Adds a tensor of another store under a name of its own; false as above.
  bool addFrom(const WeightStore &other, llvm::StringRef name, llvm::StringRef as);

  /// Whether `name` is here what `as`, or `name` where that is "", is in another store: of its type, and the same bytes.
  /// Those at one place of two mappings of one size are taken for the same file.
  bool hasSame(llvm::StringRef name, const WeightStore &other, llvm::StringRef as = "") const;

  /// The tensor of that name, or null. The pointer is good until the next add.
  const StoredTensor *find(llvm::StringRef name) const;

  /// Names in the order of their addition.
  std::vector<llvm::StringRef> names() const;

  /// Gives the memory of all mapped files back: who reads them again has it filled from the files.
  void dropPages() const;

private:
  const BytesOwner *ownerOf(llvm::ArrayRef<char> bytes) const;

  llvm::StringMap<unsigned> index;
  std::vector<std::pair<std::string, StoredTensor>> tensors;
  std::vector<BytesOwner> owners;
};

/// Bytes of one stored element: 1 for i1 and i8, else the width in bytes. None
/// for a type that a store cannot hold.
std::optional<int64_t> storedElementSize(mlir::Type element);

/// Bytes of a stored tensor; none if the type is dynamic, not storable, or too
/// large to count.
std::optional<int64_t> storedSize(mlir::RankedTensorType type);

} // namespace heddle

#endif // HEDDLE_WEIGHTSTORE_H
