//===- Buffers.cpp - input and output memory of a model -------------------===//

#include "Buffers.h"

#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace heddle;
using namespace heddle::bench;

static constexpr size_t page = 4096; // bytes

AlignedBytes::AlignedBytes(size_t size) : count(size) {
  size_t whole = (std::max<size_t>(size, 1) + page - 1) / page * page;
  bytes.reset(static_cast<char *>(std::aligned_alloc(page, whole)));
  if (!bytes)
    llvm::report_bad_alloc_error("cannot allocate memory for a tensor");
  std::memset(bytes.get(), 0, whole); // touches all pages, so that timed calls cause no page faults
}

Buffers::Buffers(func::FuncOp main, ArrayRef<std::optional<Tensor>> inputs) {
  for (const std::optional<Tensor> &input : inputs) {
    if (!input) {
      inputPointers.push_back(nullptr);
      continue;
    }
    std::vector<char> bytes = input->toBytes();
    storage.emplace_back(bytes.size());
    if (!bytes.empty())
      std::memcpy(storage.back().data(), bytes.data(), bytes.size());
    inputPointers.push_back(storage.back().data());
  }
  for (Type type : main.getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    outputTypes.push_back(tensor);
    storage.emplace_back(size_t(tensor.getNumElements() * Tensor::byteWidth(tensor.getElementType())));
    outputPointers.push_back(storage.back().data());
  }
}

void Buffers::poison() const {
  for (auto [type, pointer] : llvm::zip_equal(outputTypes, outputPointers))
    std::memset(pointer, 0xff, size_t(type.getNumElements() * Tensor::byteWidth(type.getElementType())));
}

SmallVector<Tensor> Buffers::outputs() const {
  SmallVector<Tensor> tensors;
  for (auto [type, pointer] : llvm::zip_equal(outputTypes, outputPointers)) {
    size_t size = size_t(type.getNumElements() * Tensor::byteWidth(type.getElementType()));
    tensors.push_back(*Tensor::fromBytes(type.getShape(), type.getElementType(),
                                         ArrayRef(static_cast<const char *>(pointer), size)));
  }
  return tensors;
}
