//===- GgufFile.cpp - the contents of a GGUF file -------------------------===//

#include "GgufFile.h"

#include "GgufHeader.h"

#include "heddle/InputFile.h"

using namespace mlir;
using namespace heddle;

FailureOr<GgufFile> GgufFile::read(MLIRContext &context, StringRef path) {
  Location loc = FileLineColLoc::get(&context, path, 0, 0);
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> mapped = readRegularFile(path);
  if (!mapped)
    return emitError(loc) << llvm::toString(mapped.takeError());
  GgufFile file(loc, std::move(*mapped));
  GgufHeader header(loc, file.buffer->getBuffer());
  if (failed(header.read(file.values, file.tensors)))
    return failure();
  for (auto [i, value] : llvm::enumerate(file.values))
    file.keys[value.first] = i;
  return file;
}

const GgufValue *GgufFile::find(StringRef key) const {
  auto found = keys.find(key);
  return found == keys.end() ? nullptr : &values[found->second].second;
}

llvm::json::Value GgufFile::get(StringRef key) const {
  const GgufValue *value = find(key);
  return value ? value->toJson().value_or(nullptr) : nullptr;
}

LogicalResult GgufFile::addTo(WeightStore &store, StringRef prefix) const {
  for (const GgufTensor &tensor : tensors) {
    RankedTensorType type = storedTypeOf(tensor.type, tensor.shape, loc.getContext());
    if (!type)
      return emitError(loc) << "tensor '" << tensor.name << "': the type " << tensor.type.name
                            << " is not supported, only " << supportedGgufTypes(loc.getContext());
    if (!store.add((prefix + tensor.name).str(), type, ArrayRef(tensor.bytes.data(), tensor.bytes.size()), buffer))
      return emitError(loc) << "tensor '" << tensor.name << "': another tensor has this name";
  }
  return success();
}
