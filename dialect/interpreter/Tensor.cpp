//===- Tensor.cpp - a value of the interpreter ----------------------------===//

#include "interpreter/Buffer.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include <limits>

using namespace mlir;
using namespace heddle;

static int64_t product(ArrayRef<int64_t> shape) {
  int64_t result = 1;
  for (int64_t extent : shape)
    result *= extent;
  return result;
}

Tensor::Tensor(ArrayRef<int64_t> shape, Type elementType) : dims(shape), count(product(shape)), type(elementType) {
  if (isFloat())
    floatData = std::make_shared<std::vector<double>>(count, 0.0);
  else
    intData = std::make_shared<std::vector<int64_t>>(count, 0);
}

Tensor::Tensor(ArrayRef<int64_t> shape, Type elementType, std::vector<double> elements)
    : dims(shape), count(product(shape)), type(elementType),
      floatData(std::make_shared<std::vector<double>>(std::move(elements))) {}

Tensor::Tensor(ArrayRef<int64_t> shape, Type elementType, std::vector<int64_t> elements)
    : dims(shape), count(product(shape)), type(elementType),
      intData(std::make_shared<std::vector<int64_t>>(std::move(elements))) {}

Tensor::Tensor(Buffer buffer)
    : dims(buffer.shape()), count(product(dims)), type(buffer.elementType()),
      place(std::make_shared<const Buffer>(std::move(buffer))) {}

Tensor Tensor::uninitialized(ArrayRef<int64_t> shape, Type elementType) {
  Tensor result(shape, elementType);
  if (result.isFloat())
    result.floatData->assign(result.count, std::numeric_limits<double>::quiet_NaN());
  return result;
}

MutableArrayRef<double> Tensor::mutableFloats() {
  if (floatData.use_count() > 1)
    floatData = std::make_shared<std::vector<double>>(*floatData);
  return *floatData;
}

MutableArrayRef<int64_t> Tensor::mutableInts() {
  if (intData.use_count() > 1)
    intData = std::make_shared<std::vector<int64_t>>(*intData);
  return *intData;
}

Tensor Tensor::reshaped(ArrayRef<int64_t> shape) const {
  Tensor result = *this;
  result.dims.assign(shape.begin(), shape.end());
  return result;
}

Tensor Tensor::picked(ArrayRef<int64_t> shape, ArrayRef<int64_t> offsets, const Tensor *fill) const {
  Tensor result(shape, type);
  auto pick = [&](auto from, auto to, auto filler) {
    for (auto [target, offset] : llvm::zip_equal(to, offsets))
      target = offset < 0 ? filler : from[offset];
  };
  if (isFloat())
    pick(floats(), result.mutableFloats(), fill ? fill->floats()[0] : 0.0);
  else
    pick(ints(), result.mutableInts(), fill ? fill->ints()[0] : int64_t(0));
  return result;
}

SmallVector<int64_t> Tensor::strides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> result(shape.size(), 1);
  for (int64_t i = int64_t(shape.size()) - 2; i >= 0; --i)
    result[i] = result[i + 1] * shape[i + 1];
  return result;
}

/// Converts a float of any type that double contains exactly.
static double toDouble(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

FailureOr<Tensor> Tensor::fromAttribute(Attribute attribute) {
  if (auto value = dyn_cast<FloatAttr>(attribute))
    return Tensor({}, value.getType(), std::vector<double>{toDouble(value.getValue())});
  if (auto value = dyn_cast<IntegerAttr>(attribute)) {
    unsigned width = isa<IndexType>(value.getType()) ? 64 : value.getValue().getBitWidth();
    return Tensor({}, value.getType(), std::vector<int64_t>{wrapInteger(value.getValue().getSExtValue(), width)});
  }
  if (auto dense = dyn_cast<DenseElementsAttr>(attribute)) {
    ShapedType type = dense.getType();
    Tensor result(type.getShape(), type.getElementType());
    if (result.isFloat()) {
      double *next = result.mutableFloats().data();
      for (APFloat value : dense.getValues<APFloat>())
        *next++ = toDouble(value);
      return result;
    }
    if (!type.getElementType().isIntOrIndex())
      return failure();
    int64_t *next = result.mutableInts().data();
    for (APInt value : dense.getValues<APInt>())
      *next++ = wrapInteger(value.getSExtValue(), value.getBitWidth());
    return result;
  }
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return failure();
    return fromBytes(resource.getType().getShape(), resource.getType().getElementType(), blob->getData());
  }
  return failure();
}
