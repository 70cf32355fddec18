//===- DirectoryCheckpoint.cpp - the weights of a model directory ---------===//

#include "DirectoryCheckpoint.h"

#include "QuantizedWeights.h"

#include "heddle/Json.h"
#include "heddle/Safetensors.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace heddle;

std::string heddle::joinPath(StringRef directory, StringRef name) {
  SmallString<128> path(directory);
  llvm::sys::path::append(path, name);
  return std::string(path);
}

/// Returns the paths of the files that an index (model.safetensors.index.json) lists, sorted and without duplicates.
static FailureOr<std::vector<std::string>> readIndex(MLIRContext &context, StringRef directory,
                                                     StringRef index) {
  Location loc = FileLineColLoc::get(&context, index, 0, 0);
  FailureOr<llvm::json::Object> object = readJsonObject(context, index);
  if (failed(object))
    return failure();
  const llvm::json::Object *map = object->getObject("weight_map");
  if (!map)
    return emitError(loc) << "weight_map: expected an object that maps names of tensors to names of files";
  llvm::SetVector<StringRef> names;
  for (const auto &[tensor, file] : *map) {
    std::optional<StringRef> name = file.getAsString();
    if (!name || name->empty() || llvm::sys::path::filename(*name) != *name || *name == "..")
      return emitError(loc) << "weight_map: expected the name of a file in the directory of the model for tensor '"
                            << StringRef(tensor) << "'";
    names.insert(*name);
  }
  std::vector<std::string> files;
  for (StringRef name : names)
    files.push_back(joinPath(directory, name));
  llvm::sort(files); // llvm::json::Object is a hash table, so the order of `names` is not defined
  return files;
}

FailureOr<std::unique_ptr<DirectoryCheckpoint>> DirectoryCheckpoint::read(MLIRContext &context, StringRef directory) {
  Location loc = FileLineColLoc::get(&context, directory, 0, 0);
  std::unique_ptr<DirectoryCheckpoint> checkpoint(new DirectoryCheckpoint(loc));
  std::vector<std::string> files;
  std::string whole = joinPath(directory, "model.safetensors"), index = whole + ".index.json";
  if (llvm::sys::fs::exists(whole)) {
    files = {whole};
  } else if (llvm::sys::fs::exists(index)) {
    FailureOr<std::vector<std::string>> shards = readIndex(context, directory, index);
    if (mlir::failed(shards))
      return failure();
    files = std::move(*shards);
  } else {
    InFlightDiagnostic error = emitError(loc)
                               << "expected model.safetensors or model.safetensors.index.json in the directory";
    if (llvm::sys::fs::exists(joinPath(directory, "pytorch_model.bin")))
      error << " (pytorch_model.bin is not read: save the model with safe_serialization=True)";
    return error;
  }
  for (const std::string &file : files)
    if (mlir::failed(checkpoint->add(context, {file})))
      return failure();
  return checkpoint;
}

LogicalResult DirectoryCheckpoint::add(MLIRContext &context, const WeightFile &file) {
  auto isSame = [&](const WeightFile &other) { return other.path == file.path && other.prefix == file.prefix; };
  if (llvm::any_of(files, isSame))
    return success();
  files.push_back(file);
  return readSafetensors(context, file.path, store, file.prefix);
}

const StoredTensor *DirectoryCheckpoint::check(Location loc, ArrayRef<std::string> names, ArrayRef<int64_t> shape,
                                               std::string &found) {
  if (failed())
    return nullptr;
  const StoredTensor *tensor = checkOnce(loc, names, shape, found);
  if (!tensor)
    fail();
  return tensor;
}

const StoredTensor *DirectoryCheckpoint::checkOnce(Location loc, ArrayRef<std::string> names, ArrayRef<int64_t> shape,
                                                   std::string &found) const {
  const StoredTensor *tensor = nullptr;
  for (const std::string &name : names) {
    const StoredTensor *other = store.find(prefix + name);
    if (!tensor && other) {
      found = prefix + name;
      tensor = other;
    } else if (other && (other->type != tensor->type || other->bytes != tensor->bytes)) {
      emitError(loc) << "tensors '" << found << "' and '" << prefix << name
                     << "' are two names of the same tensor of the model, but their types or elements differ";
      return nullptr;
    }
  }
  if (!tensor) {
    emitError(loc) << "the checkpoint has no tensor '" << prefix << names.front() << "'";
    return nullptr;
  }
  Type element = tensor->type.getElementType();
  if (!element.isF32() && !element.isF16() && !element.isBF16()) {
    emitError(loc) << "tensor '" << found << "': elements of type " << element
                   << " are not supported, only f32, f16 and bf16";
    return nullptr;
  }
  if (tensor->type.getShape() != shape) {
    emitError(loc) << "tensor '" << found << "': expected " << RankedTensorType::get(shape, element)
                   << " according to config.json, found " << tensor->type;
    return nullptr;
  }
  return tensor;
}

Value DirectoryCheckpoint::weight(ImplicitLocOpBuilder &builder, ArrayRef<std::string> names, const Layout &layout) {
  std::string name = names.front();
  const StoredTensor *tensor = check(builder.getLoc(), names, storedShape(layout), name);
  return floats(builder, name, tensor, {}, layout);
}

LinearWeight DirectoryCheckpoint::linearWeight(ImplicitLocOpBuilder &builder, ArrayRef<std::string> names,
                                               const Layout &layout) {
  StringRef layer = names.front();
  if (layer.consume_back(".weight"))
    if (std::optional<LinearWeight> quantized = quantizedWeight(builder, *this, layer, layout))
      return *quantized;
  return {weight(builder, names, layout)};
}
