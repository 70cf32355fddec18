//===- TensorReader.cpp - the bytes of tensors in an ONNX file ------------===//

#include "TensorReader.h"

#include "heddle/InputFile.h"
#include "heddle/WeightStore.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstring>

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;
using ::onnx::TensorProto;

namespace {

/// Converts the elements of the field `values` to type T and returns their bytes.
template <typename T, typename Field>
std::shared_ptr<std::vector<char>> pack(const Field &values) {
  auto bytes = std::make_shared<std::vector<char>>(values.size() * sizeof(T));
  char *out = bytes->data();
  for (auto value : values) {
    T element = static_cast<T>(value);
    std::memcpy(out, &element, sizeof(T));
    out += sizeof(T);
  }
  return bytes;
}

/// Returns the bytes of the elements of a tensor without raw_data. The element type determines which field of the
/// message contains the elements. `isSmall` means integers of 4 or 8 bits.
std::shared_ptr<std::vector<char>> packTyped(const TensorProto &tensor, bool isSmall) {
  if (isSmall) // for 4-bit integers, each number in the field is a byte with two integers
    return pack<uint8_t>(tensor.int32_data());
  switch (tensor.data_type()) {
  case TensorProto::FLOAT:
    return pack<float>(tensor.float_data());
  case TensorProto::DOUBLE:
    return pack<double>(tensor.double_data());
  case TensorProto::INT64:
    return pack<int64_t>(tensor.int64_data());
  case TensorProto::INT32:
    return pack<int32_t>(tensor.int32_data());
  case TensorProto::BOOL:
    return pack<bool>(tensor.int32_data());
  default: // int32_data contains the bits of FLOAT16 and BFLOAT16
    return pack<uint16_t>(tensor.int32_data());
  }
}

/// Whether all bools are 0 or 1. Programs interpret other bytes differently, so tensors with such bytes are refused.
bool validBools(ArrayRef<char> bytes) {
  return llvm::all_of(bytes, [](char byte) { return byte == 0 || byte == 1; });
}

/// Unpacks 4-bit integers to one byte each. The lower half of a byte contains the first of two integers.
std::shared_ptr<std::vector<char>> unpackHalves(ArrayRef<char> packed, int64_t count, bool isSigned) {
  auto bytes = std::make_shared<std::vector<char>>(count);
  for (int64_t i = 0; i < count; ++i) {
    int half = uint8_t(packed[i / 2]) >> (i % 2 * 4) & 15;
    (*bytes)[i] = char(isSigned && half > 7 ? half - 16 : half);
  }
  return bytes;
}

std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return "[" + text + "]";
}

} // namespace

FailureOr<std::shared_ptr<llvm::MemoryBuffer>> TensorReader::mapFile(StringRef location,
                                                                     const std::string &what) {
  namespace path = llvm::sys::path;
  namespace fs = llvm::sys::fs;
  if (auto it = files.find(location.str()); it != files.end())
    return it->second;

  auto refuse = [&](const Twine &reason) {
    return emitError(loc) << what << ": external data file '" << location << "' " << reason.str();
  };
  if (location.empty() || path::is_absolute(location) || location.contains('\0') ||
      llvm::is_contained(llvm::make_range(path::begin(location), path::end(location)), ".."))
    return refuse("must be a relative path inside the model's folder");
  SmallString<256> folder = path::parent_path(modelPath);
  if (folder.empty())
    folder = ".";
  SmallString<256> full = folder;
  path::append(full, location);
  // Symbolic links are resolved first, because the check below compares the real paths of the folder and the file.
  SmallString<256> realFolder, realFile;
  if (fs::real_path(folder, realFolder) || fs::real_path(full, realFile))
    return refuse("cannot be found in the model's folder");
  StringRef rest = realFile;
  if (!rest.consume_front(realFolder) || (!realFolder.str().ends_with("/") && !rest.starts_with("/")))
    return refuse("leads outside the model's folder");
  fs::file_status status;
  if (fs::status(realFile, status) || !fs::is_regular_file(status))
    return refuse("is not a regular file");
  auto buffer = llvm::MemoryBuffer::getFile(realFile, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return refuse("cannot be read: " + Twine(buffer.getError().message()));
  noteInputFile(realFile);
  std::shared_ptr<llvm::MemoryBuffer> file = std::move(*buffer);
  files[location.str()] = file;
  return file;
}

std::vector<std::shared_ptr<llvm::MemoryBuffer>> TensorReader::getFiles() const {
  auto buffers = llvm::make_second_range(files);
  return {buffers.begin(), buffers.end()};
}

FailureOr<TensorData> TensorReader::readExternal(const TensorProto &tensor, TensorData data, int64_t size,
                                                 const std::string &what) {
  StringRef location;
  uint64_t offset = 0, length = size;
  for (const auto &entry : tensor.external_data()) {
    StringRef key = entry.key(), value = entry.value();
    if (key == "location")
      location = value;
    else if ((key == "offset" && value.getAsInteger(10, offset)) ||
             (key == "length" && value.getAsInteger(10, length)))
      return emitError(loc) << what << ": external data has " << key << " '" << value
                            << "', expected a number of bytes";
  }
  FailureOr<std::shared_ptr<llvm::MemoryBuffer>> file = mapFile(location, what);
  if (failed(file))
    return failure();
  if (length != static_cast<uint64_t>(size))
    return emitError(loc) << what << ": external data has length " << length << ", expected " << size
                          << " bytes for shape " << shapeText(data.type.getShape());
  uint64_t available = (*file)->getBufferSize();
  if (offset > available || length > available - offset)
    return emitError(loc) << what << ": external data needs " << length << " bytes from offset " << offset << ", but '"
                          << location << "' has only " << available << " bytes in total";
  data.bytes = ArrayRef<char>((*file)->getBufferStart() + offset, length);
  data.keepAlive = *file;
  return data;
}

FailureOr<TensorData> TensorReader::read(const TensorProto &tensor, const std::string &what) {
  IntegerType small = smallIntegerType(loc.getContext(), tensor.data_type());
  Type element = small ? IntegerType::get(loc.getContext(), 8) : elementType(loc.getContext(), tensor.data_type());
  if (!element)
    return emitError(loc) << what << ": element type " << elementTypeName(tensor.data_type())
                          << " is not supported";
  if (tensor.has_segment())
    return emitError(loc) << what << ": tensors in segments are not supported";
  ArrayRef<int64_t> dims(tensor.dims().data(), tensor.dims().size());
  std::optional<int64_t> count = countElements(dims);
  if (!count)
    return emitError(loc) << what << ": shape " << shapeText(dims)
                          << " has a negative extent, or too many elements or dimensions";

  TensorData data;
  data.name = tensor.name();
  data.type = RankedTensorType::get(dims, element);
  data.small = small;
  bool isHalf = small && small.getWidth() == 4;
  int64_t size = isHalf ? (*count + 1) / 2 : *storedSize(data.type);
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    FailureOr<TensorData> external = readExternal(tensor, data, size, what);
    if (failed(external))
      return failure();
    data = *external;
  } else if (tensor.has_raw_data()) {
    data.bytes = ArrayRef<char>(tensor.raw_data().data(), tensor.raw_data().size());
    data.keepAlive = model;
  } else {
    std::shared_ptr<std::vector<char>> packed = packTyped(tensor, small != nullptr);
    data.bytes = *packed;
    data.keepAlive = std::move(packed);
  }
  if (static_cast<int64_t>(data.bytes.size()) != size)
    return emitError(loc) << what << ": " << data.bytes.size() << " bytes of data, expected " << size
                          << " for shape " << shapeText(dims) << " of " << elementTypeName(tensor.data_type());
  if (element.isInteger(1) && !validBools(data.bytes))
    return emitError(loc) << what << ": a BOOL element is neither 0 nor 1";
  if (isHalf) {
    std::shared_ptr<std::vector<char>> bytes = unpackHalves(data.bytes, *count, small.isSigned());
    data.bytes = *bytes;
    data.keepAlive = std::move(bytes);
  }
  return data;
}
