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
    storage.emplace_back(outputSize(outputTypes.size() - 1));
    outputPointers.push_back(storage.back().data());
  }
}

size_t Buffers::outputSize(size_t index) const {
  RankedTensorType type = outputTypes[index];
  return size_t(type.getNumElements() * Tensor::byteWidth(type.getElementType()));
}

llvm::Error Buffers::deviceError() const {
  return llvm::createStringError(std::string(device->name) + ": " + device->error(device->self));
}

llvm::Expected<heddle_place> Buffers::placeOnDevice(const void *host, size_t size) {
  heddle_memory *memory = nullptr;
  if (device->allocate(device->self, std::max<size_t>(size, 1), &memory))
    return deviceError();
  memories.emplace_back(memory, Release{device});
  if (device->upload(device->self, memory, 0, host, size))
    return deviceError();
  return heddle_place{nullptr, memory, 0};
}

llvm::Error Buffers::moveTo(DevicePtr to, const heddle_model &model) {
  device = std::move(to);
  size_t next = 0; // the index in `storage` of the next input that is not omitted
  for (auto [i, pointer] : llvm::enumerate(inputPointers)) {
    bool isReadByHost = model.inputs[i].flags & HEDDLE_RANGE || model.inputs[i].state;
    inputPlaces.push_back({const_cast<void *>(pointer), nullptr, 0});
    size_t size = pointer ? storage[next++].size() : 0;
    if (!pointer || isReadByHost)
      continue;
    auto place = placeOnDevice(pointer, size);
    if (!place)
      return place.takeError();
    inputPlaces.back() = *place;
  }
  for (auto [i, pointer] : llvm::enumerate(outputPointers)) {
    auto place = placeOnDevice(pointer, outputSize(i));
    if (!place)
      return place.takeError();
    outputPlaces.push_back(*place);
  }
  return llvm::Error::success();
}

llvm::Expected<SmallVector<Tensor>> Buffers::callPoisoned(Session &session, const heddle_executor *executor,
                                                          bool onHost) const {
  for (auto [i, pointer] : llvm::enumerate(outputPointers)) {
    std::memset(pointer, 0xff, outputSize(i));
    if (device && device->upload(device->self, outputPlaces[i].memory, 0, pointer, outputSize(i)))
      return deviceError();
  }
  if (llvm::Error error = session.poisonArena(executor))
    return error;
  if (llvm::Error error = onHost ? callOnHost(session, executor) : call(session, executor))
    return error;
  SmallVector<Tensor> tensors;
  for (auto [i, pointer] : llvm::enumerate(outputPointers)) {
    if (device && !onHost && device->download(device->self, outputPlaces[i].memory, 0, pointer, outputSize(i)))
      return deviceError();
    RankedTensorType type = outputTypes[i];
    tensors.push_back(*Tensor::fromBytes(type.getShape(), type.getElementType(),
                                         ArrayRef(static_cast<const char *>(pointer), outputSize(i))));
  }
  return tensors;
}
