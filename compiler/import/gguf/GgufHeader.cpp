//===- GgufHeader.cpp - reads the header of a GGUF file -------------------===//

#include "GgufHeader.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

/// Limits of ggml: the largest number of dimensions of a tensor, and of bytes of its name.
static constexpr uint32_t maxRank = 4;
static constexpr size_t maxName = 63;

InFlightDiagnostic GgufHeader::refuse(uint64_t at) { return emitError(loc) << "offset " << at << ": " << item << ": "; }

FailureOr<StringRef> GgufHeader::bytes(uint64_t count, StringRef what) {
  if (count > rest())
    return refuse(position) << what << " of " << count << " bytes goes beyond the end of the file, which has "
                            << data.size() << " bytes";
  StringRef found = data.substr(position, count);
  position += count;
  return found;
}

template <typename T>
FailureOr<T> GgufHeader::number(StringRef what) {
  FailureOr<StringRef> found = bytes(sizeof(T), what);
  if (failed(found))
    return failure();
  return llvm::support::endian::read<T>(found->data(), llvm::endianness::little);
}

FailureOr<StringRef> GgufHeader::string(StringRef what) {
  FailureOr<uint64_t> length = number<uint64_t>(("the length of " + what).str());
  if (failed(length))
    return failure();
  return bytes(*length, what);
}

FailureOr<uint64_t> GgufHeader::count(StringRef what, uint64_t least) {
  uint64_t at = position;
  FailureOr<uint64_t> found = number<uint64_t>(("the number of " + what).str());
  if (succeeded(found) && *found > rest() / least)
    return refuse(at) << *found << " " << what << " do not fit into the file, which has " << data.size() << " bytes";
  return found;
}

FailureOr<GgufKind> GgufHeader::kind(StringRef what) {
  uint64_t at = position;
  FailureOr<uint32_t> found = number<uint32_t>(what);
  if (failed(found))
    return failure();
  if (!isGgufKind(*found))
    return refuse(at) << what << " " << *found << " is not known";
  return GgufKind(*found);
}

LogicalResult GgufHeader::checkBools(const GgufValue &value) {
  for (auto [i, byte] : llvm::enumerate(value.bytes))
    if (uint8_t(byte) > 1)
      return refuse(value.offset + i) << "expected a boolean, 0 or 1, found " << unsigned(uint8_t(byte));
  return success();
}

LogicalResult GgufHeader::elements(GgufValue &array) {
  array.offset = position;
  uint64_t size = sizeOf(array.element);
  if (size) {
    FailureOr<StringRef> found = bytes(array.count * size, "an array");
    if (failed(found))
      return failure();
    array.bytes = *found;
    return success();
  }
  for (uint64_t i = 0; i < array.count; ++i)
    if (failed(string("a string")))
      return failure();
  array.bytes = data.slice(array.offset, position);
  return success();
}

FailureOr<GgufValue> GgufHeader::value() {
  FailureOr<GgufKind> found = kind("the kind of value");
  if (failed(found))
    return failure();
  GgufValue value;
  value.kind = value.element = *found;
  if (*found == GgufKind::String) {
    FailureOr<StringRef> text = string("a string");
    if (failed(text))
      return failure();
    value.bytes = *text;
    value.offset = position - text->size();
    return value;
  }
  if (*found == GgufKind::Array) {
    uint64_t at = position;
    FailureOr<GgufKind> element = kind("the kind of element");
    if (failed(element))
      return failure();
    if (*element == GgufKind::Array)
      return refuse(at) << "an array of arrays is not supported";
    value.element = *element;
    uint64_t least = *element == GgufKind::String ? sizeof(uint64_t) : sizeOf(*element);
    FailureOr<uint64_t> number = count("elements", least);
    if (failed(number))
      return failure();
    value.count = *number;
  }
  if (failed(elements(value)) || (value.element == GgufKind::Bool && failed(checkBools(value))))
    return failure();
  return value;
}

LogicalResult GgufHeader::readAlignment(const GgufValue &value) {
  if (value.kind != GgufKind::UInt32)
    return refuse(value.offset) << "expected an unsigned integer of 32 bits";
  alignment = llvm::support::endian::read32le(value.bytes.data());
  if (!llvm::isPowerOf2_32(alignment))
    return refuse(value.offset) << "expected a power of two, found " << alignment;
  return success();
}

FailureOr<GgufTensor> GgufHeader::tensor(uint64_t &offset) {
  uint64_t at = position;
  FailureOr<StringRef> name = string("the name");
  if (failed(name))
    return failure();
  if (name->size() > maxName)
    return refuse(at) << "expected a name of at most " << maxName << " bytes, found " << name->size() << " bytes";
  item = ("tensor '" + *name + "'").str();
  GgufTensor tensor;
  tensor.name = *name;
  at = position;
  FailureOr<uint32_t> rank = number<uint32_t>("the number of dimensions");
  if (failed(rank))
    return failure();
  if (*rank < 1 || *rank > maxRank)
    return refuse(at) << "expected 1 to " << maxRank << " dimensions, found " << *rank;
  int64_t elements = 1;
  at = position;
  for (uint32_t i = 0; i < *rank; ++i) {
    FailureOr<uint64_t> size = number<uint64_t>("a dimension");
    if (failed(size))
      return failure();
    if (*size < 1 || *size > INT64_MAX || llvm::MulOverflow(elements, int64_t(*size), elements))
      return refuse(at + i * sizeof(uint64_t)) << "a dimension of " << *size << " is not supported";
    tensor.shape.insert(tensor.shape.begin(), int64_t(*size));
  }
  at = position;
  FailureOr<uint32_t> type = number<uint32_t>("the type");
  if (failed(type))
    return failure();
  std::optional<GgufType> known = findGgufType(*type, loc.getContext());
  if (!known)
    return refuse(at) << "type number " << *type << " is not known";
  tensor.type = *known;
  if (tensor.shape.back() % tensor.type.blockLength)
    return refuse(at) << "rows of " << tensor.shape.back() << " elements cannot be divided into blocks of "
                      << tensor.type.blockLength << ", as the type " << tensor.type.name << " requires";
  at = position;
  FailureOr<uint64_t> found = number<uint64_t>("the offset");
  if (failed(found))
    return failure();
  offset = *found;
  if (offset % alignment)
    return refuse(at) << "the offset " << offset << " is not a multiple of the alignment, " << alignment;
  return tensor;
}

LogicalResult GgufHeader::placeTensors(MutableArrayRef<GgufTensor> tensors, ArrayRef<uint64_t> offsets) {
  uint64_t begin = std::min<uint64_t>(llvm::alignTo(position, alignment), data.size());
  StringRef all = data.drop_front(begin);
  SmallVector<size_t> order = llvm::to_vector(llvm::seq<size_t>(0, tensors.size()));
  llvm::sort(order, [&](size_t a, size_t b) { return std::pair(offsets[a], a) < std::pair(offsets[b], b); });
  uint64_t end = 0; // the end of the previous tensor
  for (auto [i, index] : llvm::enumerate(order)) {
    GgufTensor &tensor = tensors[index];
    item = ("tensor '" + tensor.name + "'").str();
    uint64_t blocks = 1, blockBytes = tensor.type.blockBytes, offset = offsets[index];
    for (int64_t extent : tensor.shape)
      blocks *= extent; // tensor() has checked that the product does not overflow
    blocks /= tensor.type.blockLength;
    if (offset > all.size() || blocks > (all.size() - offset) / blockBytes)
      return refuse(begin) << "the tensor ends beyond the end of the file: it has " << blocks << " times " << blockBytes
                           << " bytes at offset " << offset << " of the data, which have " << all.size() << " bytes";
    if (i && offset < end)
      return refuse(begin + offset) << "the tensor overlaps tensor '" << tensors[order[i - 1]].name << "'";
    tensor.bytes = all.substr(offset, blocks * blockBytes);
    end = offset + tensor.bytes.size();
  }
  return success();
}

LogicalResult GgufHeader::read(std::vector<std::pair<StringRef, GgufValue>> &values,
                               std::vector<GgufTensor> &tensors) {
  item = "header";
  if (!data.starts_with("GGUF"))
    return refuse(0) << "expected a GGUF file, which begins with GGUF";
  position = 4;
  FailureOr<uint32_t> version = number<uint32_t>("the version");
  if (failed(version))
    return failure();
  if (*version && !(*version & 0xffff))
    return refuse(4) << "big-endian files are not supported";
  if (*version != 2 && *version != 3)
    return refuse(4) << "version " << *version << " is not supported, only 2 and 3";
  // The smallest entries are a key and a value of a byte, and a tensor of rank 0.
  FailureOr<uint64_t> tensorCount = count("tensors", 24);
  FailureOr<uint64_t> valueCount = failed(tensorCount) ? tensorCount : count("keys", 13);
  if (failed(valueCount))
    return failure();

  llvm::StringSet<> names;
  for (uint64_t i = 0; i < *valueCount; ++i) {
    item = "key number " + std::to_string(i + 1);
    uint64_t at = position;
    FailureOr<StringRef> key = string("the key");
    if (failed(key))
      return failure();
    item = ("key '" + *key + "'").str();
    if (!names.insert(*key).second)
      return refuse(at) << "the key occurs twice";
    FailureOr<GgufValue> found = value();
    if (failed(found) || (*key == "general.alignment" && failed(readAlignment(*found))))
      return failure();
    values.push_back({*key, *found});
  }
  names.clear();
  std::vector<uint64_t> offsets;
  for (uint64_t i = 0; i < *tensorCount; ++i) {
    item = "tensor number " + std::to_string(i + 1);
    uint64_t at = position;
    FailureOr<GgufTensor> found = tensor(offsets.emplace_back());
    if (failed(found))
      return failure();
    if (!names.insert(found->name).second)
      return refuse(at) << "another tensor has this name";
    tensors.push_back(std::move(*found));
  }
  return placeTensors(tensors, offsets);
}
