//===- Safetensors.cpp - named tensors in a file --------------------------===//

#include "heddle/Safetensors.h"

#include "heddle/InputFile.h"
#include "heddle/OutputFile.h"
#include "tensors/safetensors.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace heddle;

/// Returns the MLIR element type for an element type of .safetensors files.
static Type elementType(heddle_dtype dtype, MLIRContext *context) {
  Builder b(context);
  switch (dtype) {
  case HEDDLE_DTYPE_BOOL:
    return b.getI1Type();
  case HEDDLE_DTYPE_I8:
  case HEDDLE_DTYPE_I16:
  case HEDDLE_DTYPE_I32:
  case HEDDLE_DTYPE_I64:
    return b.getIntegerType(8 * heddle_dtype_size(dtype));
  case HEDDLE_DTYPE_U8:
  case HEDDLE_DTYPE_U16:
  case HEDDLE_DTYPE_U32:
  case HEDDLE_DTYPE_U64:
    return b.getIntegerType(8 * heddle_dtype_size(dtype), /*isSigned=*/false);
  case HEDDLE_DTYPE_F16:
    return b.getF16Type();
  case HEDDLE_DTYPE_BF16:
    return b.getBF16Type();
  case HEDDLE_DTYPE_F32:
    return b.getF32Type();
  case HEDDLE_DTYPE_F64:
    return b.getF64Type();
  case HEDDLE_DTYPE_F8_E4M3:
    return Float8E4M3FNType::get(context);
  case HEDDLE_DTYPE_F8_E5M2:
    return Float8E5M2Type::get(context);
  case HEDDLE_DTYPE_COUNT:
    break;
  }
  llvm_unreachable("not an element type of .safetensors files");
}

/// Returns the element type of .safetensors files for an MLIR element type; nothing if the files have no such type.
static std::optional<heddle_dtype> dtypeOf(Type element) {
  for (int dtype = 0; dtype < HEDDLE_DTYPE_COUNT; ++dtype)
    if (elementType(heddle_dtype(dtype), element.getContext()) == element)
      return heddle_dtype(dtype);
  return std::nullopt;
}

LogicalResult heddle::readSafetensors(MLIRContext &context, StringRef path, WeightStore &store, StringRef prefix) {
  Location loc = FileLineColLoc::get(&context, path, 0, 0);
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> file = readRegularFile(path);
  if (!file)
    return emitError(loc) << llvm::toString(file.takeError());
  std::shared_ptr<llvm::MemoryBuffer> buffer = std::move(*file);

  char error[HEDDLE_SAFETENSORS_ERROR_SIZE];
  std::unique_ptr<heddle_safetensors, decltype(&heddle_safetensors_free)> header(
      heddle_safetensors_parse(buffer->getBufferStart(), buffer->getBufferSize(), error, sizeof(error)),
      heddle_safetensors_free);
  if (!header)
    return emitError(loc) << StringRef(error);
  for (const heddle_safetensors_entry &entry : ArrayRef(header->entries, header->count)) {
    StringRef name(entry.name, entry.name_size);
    auto type = RankedTensorType::get(ArrayRef(entry.shape, entry.rank), elementType(entry.dtype, &context));
    ArrayRef<char> bytes(header->data + entry.begin, header->data + entry.end);
    if (!store.add((prefix + name).str(), type, bytes, buffer))
      return emitError(loc) << "tensor '" << name << "': another tensor has this name";
  }
  return success();
}

LogicalResult heddle::writeSafetensors(MLIRContext &context, StringRef path,
                                       ArrayRef<std::pair<std::string, StoredTensor>> tensors) {
  Location loc = FileLineColLoc::get(&context, path, 0, 0);
  // Tensors with wide elements come first, so that every tensor is aligned to the width of its elements.
  std::vector<const std::pair<std::string, StoredTensor> *> order;
  for (const auto &tensor : tensors)
    order.push_back(&tensor);
  auto rank = [](const std::pair<std::string, StoredTensor> *tensor) {
    return std::make_tuple(-storedElementSize(tensor->second.type.getElementType()).value_or(0),
                           StringRef(tensor->first));
  };
  llvm::sort(order, [&](const auto *a, const auto *b) { return rank(a) < rank(b); });

  llvm::StringSet<> names; // owns the names of the entries
  std::vector<heddle_safetensors_entry> entries;
  for (const auto *tensor : order) {
    const auto &[name, stored] = *tensor;
    std::optional<heddle_dtype> dtype = dtypeOf(stored.type.getElementType());
    if (!dtype)
      return emitError(loc) << "tensor '" << name << "': a safetensors file cannot contain elements of type "
                            << stored.type.getElementType();
    auto [added, isNew] = names.insert(llvm::json::fixUTF8(name));
    if (!isNew)
      return emitError(loc) << "tensor '" << name << "': another tensor has this name";
    assert(storedSize(stored.type) == int64_t(stored.bytes.size()) && "the type and the bytes differ in size");
    ArrayRef<int64_t> shape = stored.type.getShape();
    entries.push_back(
        {added->first().data(), added->first().size(), *dtype, uint32_t(shape.size()), shape.data(), 0, 0});
  }
  char error[HEDDLE_SAFETENSORS_ERROR_SIZE];
  size_t size;
  std::unique_ptr<char, decltype(&std::free)> header(
      heddle_safetensors_header(entries.data(), entries.size(), &size, error, sizeof(error)), std::free);
  if (!header)
    return emitError(loc) << StringRef(error);

  return writeOutputFile(context, path, [&](raw_ostream &out) {
    out.write(header.get(), size);
    for (const auto *tensor : order)
      out.write(tensor->second.bytes.data(), tensor->second.bytes.size());
  });
}
