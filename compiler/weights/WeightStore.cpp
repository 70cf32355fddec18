//===- WeightStore.cpp - tensors that heddle.weight names -----------------===//

#include "heddle/WeightStore.h"

#include "heddle/Memory.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

std::optional<int64_t> heddle::storedElementSize(Type element) {
  if (!element.isIntOrFloat())
    return std::nullopt;
  unsigned width = element.getIntOrFloatBitWidth();
  if (width == 1)
    return 1;
  if (width % 8 != 0 || width > 64)
    return std::nullopt;
  return width / 8;
}

std::optional<int64_t> heddle::storedSize(RankedTensorType type) {
  std::optional<int64_t> size = storedElementSize(type.getElementType());
  if (!size || !type.hasStaticShape())
    return std::nullopt;
  if (llvm::is_contained(type.getShape(), 0))
    return 0;
  for (int64_t extent : type.getShape())
    if (llvm::MulOverflow(*size, extent, *size))
      return std::nullopt;
  return size;
}

BytesOwner::BytesOwner(std::shared_ptr<llvm::MemoryBuffer> buffer) : owner(buffer) {
  if (buffer && buffer->getBufferKind() == llvm::MemoryBuffer::MemoryBuffer_MMap)
    mapping = buffer->getBuffer();
}

bool WeightStore::add(StringRef name, RankedTensorType type, ArrayRef<char> bytes, BytesOwner keepAlive) {
  std::optional<int64_t> size = storedSize(type);
  if (!size || *size != static_cast<int64_t>(bytes.size()))
    return false;
  if (!index.try_emplace(name, tensors.size()).second)
    return false;
  tensors.push_back({name.str(), {type, bytes}});
  if (keepAlive.owner && (owners.empty() || owners.back().owner != keepAlive.owner))
    owners.push_back(std::move(keepAlive));
  return true;
}

bool WeightStore::add(StringRef name, RankedTensorType type, std::vector<char> bytes) {
  auto owned = std::make_shared<std::vector<char>>(std::move(bytes));
  ArrayRef<char> view = *owned;
  return add(name, type, view, std::move(owned));
}

/// Returns the owner of the memory-mapped file that contains the bytes; null if no mapped file contains them.
const BytesOwner *WeightStore::ownerOf(ArrayRef<char> bytes) const {
  auto has = [&](const BytesOwner &owner) {
    return !owner.mapping.empty() && bytes.begin() >= owner.mapping.begin() && bytes.end() <= owner.mapping.end();
  };
  auto found = llvm::find_if(owners, has);
  return found == owners.end() ? nullptr : &*found;
}

bool WeightStore::addFrom(const WeightStore &other, StringRef name, StringRef as) {
  const StoredTensor *tensor = other.find(name);
  if (!tensor)
    return false;
  if (const BytesOwner *owner = other.ownerOf(tensor->bytes))
    return add(as, tensor->type, tensor->bytes, *owner);
  return add(as, tensor->type, std::vector<char>(tensor->bytes.begin(), tensor->bytes.end()));
}

bool WeightStore::hasSame(StringRef name, const WeightStore &other, StringRef as) const {
  const StoredTensor *mine = find(name), *theirs = other.find(as.empty() ? name : as);
  if (!mine || !theirs || mine->type != theirs->type)
    return false;
  const BytesOwner *owner = ownerOf(mine->bytes), *its = other.ownerOf(theirs->bytes);
  if (owner && its && owner->mapping.size() == its->mapping.size() &&
      mine->bytes.begin() - owner->mapping.begin() == theirs->bytes.begin() - its->mapping.begin())
    return true;
  return mine->bytes == theirs->bytes;
}

const StoredTensor *WeightStore::find(StringRef name) const {
  auto it = index.find(name);
  return it == index.end() ? nullptr : &tensors[it->second].second;
}

std::vector<StringRef> WeightStore::names() const {
  std::vector<StringRef> names;
  for (const auto &entry : tensors)
    names.push_back(entry.first);
  return names;
}

void WeightStore::dropPages() const {
  for (const BytesOwner &owner : owners)
    heddle::dropPages(owner.mapping);
}
