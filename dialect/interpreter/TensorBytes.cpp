//===- TensorBytes.cpp - memory format of tensors -------------------------===//

#include "interpreter/Tensor.h"

#include <cstring>

using namespace mlir;
using namespace heddle;

int64_t Tensor::byteWidth(Type elementType) {
  if (isa<IndexType>(elementType))
    return 8;
  if (isa<Float64Type, Float32Type, Float16Type, BFloat16Type>(elementType))
    return elementType.getIntOrFloatBitWidth() / 8;
  if (auto integer = dyn_cast<IntegerType>(elementType)) {
    unsigned width = integer.getWidth();
    return width == 1 ? 1 : width == 8 || width == 16 || width == 32 || width == 64 ? width / 8 : 0;
  }
  return 0;
}

/// Converts all elements in `bytes`, which are of type Stored, to the type To. `bytes` need not be aligned.
template <typename Stored, typename To> static void loadLane(ArrayRef<char> bytes, To *to) {
  for (size_t i = 0; i < bytes.size() / sizeof(Stored); ++i) {
    Stored value;
    std::memcpy(&value, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    to[i] = static_cast<To>(value);
  }
}

/// Converts all elements of `from` to the type Stored and writes them to `bytes`, which need not be aligned.
template <typename Stored, typename From> static void storeLane(ArrayRef<From> from, char *bytes) {
  for (size_t i = 0; i < from.size(); ++i) {
    Stored value = static_cast<Stored>(from[i]);
    std::memcpy(bytes + i * sizeof(Stored), &value, sizeof(Stored));
  }
}

/// Returns LLVM's description of f16 or bf16. LLVM's software floats convert these types slowly, but exactly and in the
/// same way on every machine.
static const llvm::fltSemantics &semantics(Type type) { return cast<FloatType>(type).getFloatSemantics(); }

FailureOr<Tensor> Tensor::fromBytes(ArrayRef<int64_t> shape, Type elementType, ArrayRef<char> bytes) {
  int64_t width = byteWidth(elementType), count = 1;
  for (int64_t extent : shape)
    if (extent < 0 || llvm::MulOverflow(count, extent, count))
      return failure();
  if (width == 0 || int64_t(bytes.size()) / width != count || int64_t(bytes.size()) % width != 0)
    return failure();
  Tensor result(shape, elementType);
  if (result.isFloat()) {
    double *to = result.mutableFloats().data();
    if (elementType.isF64())
      loadLane<double>(bytes, to);
    else if (elementType.isF32())
      loadLane<float>(bytes, to);
    else
      for (int64_t i = 0; i < count; ++i) {
        uint16_t bits;
        std::memcpy(&bits, bytes.data() + 2 * i, 2);
        APFloat value(semantics(elementType), APInt(16, bits));
        bool losesInfo;
        value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
        to[i] = value.convertToDouble();
      }
    return result;
  }
  int64_t *to = result.mutableInts().data();
  if (elementType.isInteger(1))
    for (int64_t i = 0; i < count; ++i)
      to[i] = bytes[i] != 0;
  else if (width == 8)
    loadLane<int64_t>(bytes, to);
  else if (width == 4)
    loadLane<int32_t>(bytes, to);
  else if (width == 2)
    loadLane<int16_t>(bytes, to);
  else
    loadLane<int8_t>(bytes, to);
  return result;
}

std::vector<char> Tensor::toBytes() const {
  int64_t width = byteWidth(type);
  std::vector<char> bytes(width * count);
  if (isFloat() && type.isF64())
    storeLane<double>(floats(), bytes.data());
  else if (isFloat() && type.isF32())
    storeLane<float>(floats(), bytes.data());
  else if (isFloat() && width == 2)
    for (int64_t i = 0; i < count; ++i) {
      APFloat value(floats()[i]);
      bool losesInfo;
      value.convert(semantics(type), APFloat::rmNearestTiesToEven, &losesInfo);
      uint16_t bits = value.bitcastToAPInt().getZExtValue();
      std::memcpy(bytes.data() + 2 * i, &bits, 2);
    }
  else if (width == 8)
    storeLane<int64_t>(ints(), bytes.data());
  else if (width == 4)
    storeLane<int32_t>(ints(), bytes.data());
  else if (width == 2)
    storeLane<int16_t>(ints(), bytes.data());
  else if (width == 1)
    storeLane<int8_t>(ints(), bytes.data());
  return bytes;
}
