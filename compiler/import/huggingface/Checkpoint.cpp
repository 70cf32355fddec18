//===- Checkpoint.cpp - the weights of a model directory ------------------===//

#include "Checkpoint.h"

#include "heddle/Json.h"
#include "heddle/Safetensors.h"

#include "Heddle.h"

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

FailureOr<Checkpoint> Checkpoint::read(MLIRContext &context, StringRef directory) {
  Checkpoint checkpoint(FileLineColLoc::get(&context, directory, 0, 0));
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
    InFlightDiagnostic error = emitError(checkpoint.loc)
                               << "expected model.safetensors or model.safetensors.index.json in the directory";
    if (llvm::sys::fs::exists(joinPath(directory, "pytorch_model.bin")))
      error << " (pytorch_model.bin is not read: save the model with safe_serialization=True)";
    return error;
  }
  for (const std::string &file : files)
    if (mlir::failed(checkpoint.add(context, {file})))
      return failure();
  return std::move(checkpoint);
}

LogicalResult Checkpoint::add(MLIRContext &context, const WeightFile &file) {
  auto isSame = [&](const WeightFile &other) { return other.path == file.path && other.prefix == file.prefix; };
  if (llvm::any_of(files, isSame))
    return success();
  files.push_back(file);
  return readSafetensors(context, file.path, store, file.prefix);
}

const StoredTensor *Checkpoint::check(Location loc, ArrayRef<std::string> names, ArrayRef<int64_t> shape,
                                      std::string &found) {
  if (bad)
    return nullptr;
  const StoredTensor *tensor = nullptr;
  bad = true;
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
  bad = false;
  return tensor;
}

void heddle::addPart(SmallVectorImpl<Attribute> &steps, SmallVectorImpl<int64_t> &shape,
                     const Checkpoint::Layout::Part &part, MLIRContext *context) {
  SmallVector<int64_t> offsets(shape.size());
  offsets[part.dim] = part.begin;
  int64_t size = std::exchange(shape[part.dim], part.size);
  if (part.groups == 1) {
    steps.push_back(SliceStepAttr::get(context, offsets, shape));
    return;
  }
  offsets.insert(offsets.begin() + part.dim, 0);
  shape.insert(shape.begin() + part.dim, part.groups);
  SmallVector<int64_t> groups(shape.begin(), shape.end());
  groups[part.dim + 1] = size / part.groups;
  steps.push_back(ReshapeStepAttr::get(context, groups));
  steps.push_back(SliceStepAttr::get(context, offsets, shape));
  shape.erase(shape.begin() + part.dim);
  shape[part.dim] *= part.groups;
  steps.push_back(ReshapeStepAttr::get(context, shape));
}

Value Checkpoint::weight(ImplicitLocOpBuilder &builder, ArrayRef<std::string> names, const Layout &layout) {
  MLIRContext *context = builder.getContext();
  SmallVector<int64_t> stored(layout.shape), shape(layout.shape);
  SmallVector<Attribute> steps;
  if (layout.transposed) {
    std::swap(stored[0], stored[1]);
    steps.push_back(TransposeStepAttr::get(context, {1, 0}));
  }
  if (layout.part)
    addPart(steps, shape, *layout.part, context);
  // Heddle computes in f32, whatever type the weights are stored in.
  Type f32 = builder.getF32Type();
  std::string name = names.front();
  const StoredTensor *tensor = check(builder.getLoc(), names, stored, name);
  if (tensor && tensor->type.getElementType() != f32)
    steps.push_back(CastStepAttr::get(context, f32));
  return WeightOp::create(builder, RankedTensorType::get(shape, f32), builder.getStringAttr(name),
                          builder.getArrayAttr(steps));
}
