//===- Safetensors.cpp - named tensors in a file --------------------------===//

#include "heddle/Safetensors.h"

#include "heddle/InputFile.h"
#include "heddle/Json.h"
#include "heddle/OutputFile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace heddle;
namespace json = llvm::json;

namespace {
struct DataType {
  const char *name;
  Type (*get)(Builder &);
};
template <unsigned width>
Type signless(Builder &b) {
  return b.getIntegerType(width);
}
template <unsigned width>
Type unsignedInteger(Builder &b) {
  return b.getIntegerType(width, /*isSigned=*/false);
}
const DataType dataTypes[] = {
    {"BOOL", signless<1>},
    {"I8", signless<8>},
    {"I16", signless<16>},
    {"I32", signless<32>},
    {"I64", signless<64>},
    {"U8", unsignedInteger<8>},
    {"U16", unsignedInteger<16>},
    {"U32", unsignedInteger<32>},
    {"U64", unsignedInteger<64>},
    {"F16", [](Builder &b) -> Type { return b.getF16Type(); }},
    {"BF16", [](Builder &b) -> Type { return b.getBF16Type(); }},
    {"F32", [](Builder &b) -> Type { return b.getF32Type(); }},
    {"F64", [](Builder &b) -> Type { return b.getF64Type(); }},
    {"F8_E4M3", [](Builder &b) -> Type { return Float8E4M3FNType::get(b.getContext()); }},
    {"F8_E5M2", [](Builder &b) -> Type { return Float8E5M2Type::get(b.getContext()); }},
};

/// A checked entry of the header.
struct Entry {
  std::string name;
  RankedTensorType type;
  int64_t begin, end;
};
} // namespace

StringRef heddle::safetensorsTypeName(Type element) {
  Builder builder(element.getContext());
  for (const DataType &dataType : dataTypes)
    if (dataType.get(builder) == element)
      return dataType.name;
  return "";
}

/// Reads a JSON array of non-negative integers.
static std::optional<SmallVector<int64_t>> getSizes(const json::Array *array) {
  if (!array)
    return std::nullopt;
  SmallVector<int64_t> sizes;
  for (const json::Value &value : *array) {
    std::optional<int64_t> size = value.getAsInteger();
    if (!size || *size < 0)
      return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

static FailureOr<Entry> readEntry(Location loc, StringRef name, const json::Value &value, int64_t dataSize) {
  auto refuse = [&]() { return emitError(loc) << "tensor '" << name << "': "; };
  const json::Object *object = value.getAsObject();
  if (!object)
    return refuse() << "expected an object with dtype, shape and data_offsets";

  Builder builder(loc.getContext());
  std::optional<StringRef> typeName = object->getString("dtype");
  if (!typeName)
    return refuse() << "no dtype";
  const DataType *dataType =
      llvm::find_if(dataTypes, [&](const DataType &candidate) { return *typeName == candidate.name; });
  if (dataType == std::end(dataTypes))
    return refuse() << "dtype '" << *typeName << "' is not supported";

  std::optional<SmallVector<int64_t>> shape = getSizes(object->getArray("shape"));
  if (!shape)
    return refuse() << "shape is not a list of sizes";
  std::optional<SmallVector<int64_t>> offsets = getSizes(object->getArray("data_offsets"));
  if (!offsets || offsets->size() != 2 || (*offsets)[0] > (*offsets)[1])
    return refuse() << "data_offsets is not a pair of increasing offsets";

  int64_t begin = (*offsets)[0], end = (*offsets)[1];
  if (end > dataSize)
    return refuse() << "data_offsets [" << begin << ", " << end << "] reach beyond the file's " << dataSize
                    << " bytes of data";
  auto type = RankedTensorType::get(*shape, dataType->get(builder));
  std::optional<int64_t> size = storedSize(type);
  if (!size)
    return refuse() << "its shape is too large";
  if (*size != end - begin)
    return refuse() << "expected " << *size << " bytes for " << type << ", found " << end - begin;
  return Entry{name.str(), type, begin, end};
}

/// Reads the header's entries in the order of their bytes; they must cover the data completely.
static FailureOr<std::vector<Entry>> readHeader(Location loc, StringRef header, int64_t dataSize) {
  FailureOr<json::Object> object = parseJsonObject(loc, header);
  if (failed(object))
    return failure();
  std::vector<Entry> entries;
  for (const auto &[key, value] : *object) {
    if (key == "__metadata__")
      continue;
    FailureOr<Entry> entry = readEntry(loc, StringRef(key), value, dataSize);
    if (failed(entry))
      return failure();
    entries.push_back(std::move(*entry));
  }
  llvm::sort(entries, [](const Entry &a, const Entry &b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  int64_t covered = 0;
  for (const Entry &entry : entries) {
    if (entry.begin != covered)
      return emitError(loc) << "tensor '" << entry.name << "': expected its bytes to start at " << covered
                            << ", found " << entry.begin
                            << (entry.begin < covered ? " (an overlap)" : " (a gap)");
    covered = entry.end;
  }
  if (covered != dataSize)
    return emitError(loc) << "expected " << covered << " bytes of data, found " << dataSize;
  return entries;
}

LogicalResult heddle::readSafetensors(MLIRContext &context, StringRef path, WeightStore &store, StringRef prefix) {
  Location loc = FileLineColLoc::get(&context, path, 0, 0);
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> file = readRegularFile(path);
  if (!file)
    return emitError(loc) << llvm::toString(file.takeError());
  std::shared_ptr<llvm::MemoryBuffer> buffer = std::move(*file);

  StringRef bytes = buffer->getBuffer();
  constexpr uint64_t sizeBytes = 8, headerLimit = 100'000'000; // the limit of the reference implementation
  if (bytes.size() < sizeBytes)
    return emitError(loc) << "expected at least " << sizeBytes << " bytes, found " << bytes.size();
  uint64_t headerSize = llvm::support::endian::read64le(bytes.data());
  if (headerSize > headerLimit)
    return emitError(loc) << "expected a header of at most " << headerLimit << " bytes, found " << headerSize
                          << ": not a .safetensors file?";
  if (headerSize > bytes.size() - sizeBytes)
    return emitError(loc) << "expected a header of " << headerSize << " bytes, found only "
                          << bytes.size() - sizeBytes;
  StringRef data = bytes.drop_front(sizeBytes + headerSize);
  FailureOr<std::vector<Entry>> entries = readHeader(loc, bytes.substr(sizeBytes, headerSize), data.size());
  if (failed(entries))
    return failure();
  for (const Entry &entry : *entries) {
    StringRef view = data.slice(entry.begin, entry.end);
    if (!store.add((prefix + entry.name).str(), entry.type, ArrayRef<char>(view.data(), view.size()), buffer))
      return emitError(loc) << "tensor '" << entry.name << "': there is another one of this name";
  }
  return success();
}

LogicalResult heddle::writeSafetensors(MLIRContext &context, StringRef path,
                                       ArrayRef<std::pair<std::string, StoredTensor>> tensors) {
  Location loc = FileLineColLoc::get(&context, path, 0, 0);
  // Tensors with wide elements come first, so that every tensor is aligned to its elements.
  std::vector<const std::pair<std::string, StoredTensor> *> order;
  for (const auto &tensor : tensors)
    order.push_back(&tensor);
  auto rank = [](const std::pair<std::string, StoredTensor> *tensor) {
    return std::make_tuple(-storedElementSize(tensor->second.type.getElementType()).value_or(0),
                           StringRef(tensor->first));
  };
  llvm::sort(order, [&](const auto *a, const auto *b) { return rank(a) < rank(b); });

  json::Object header;
  int64_t offset = 0;
  for (const auto *tensor : order) {
    const auto &[name, stored] = *tensor;
    StringRef typeName = safetensorsTypeName(stored.type.getElementType());
    if (typeName.empty())
      return emitError(loc) << "tensor '" << name << "': a file cannot hold elements of type "
                            << stored.type.getElementType();
    int64_t end = offset + static_cast<int64_t>(stored.bytes.size());
    json::Object entry{{"dtype", typeName}, {"shape", json::Array(stored.type.getShape())},
                       {"data_offsets", json::Array{offset, end}}};
    if (!header.try_emplace(json::fixUTF8(name), std::move(entry)).second)
      return emitError(loc) << "tensor '" << name << "': there is another one of this name";
    offset = end;
  }
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(header));
  text.append((8 - text.size() % 8) % 8, ' ');

  return writeOutputFile(context, path, [&](raw_ostream &out) {
    char size[8];
    llvm::support::endian::write64le(size, text.size());
    out.write(size, sizeof(size));
    out << text;
    for (const auto *tensor : order)
      out.write(tensor->second.bytes.data(), tensor->second.bytes.size());
  });
}
