//===- EmittedSizes.cpp - emits the computation of extents ----------------===//

#include "EmittedSizes.h"

using namespace mlir;
using namespace heddle;

Value EmittedSizes::of(const Extent &extent) {
  Value &value = extents[extent.inTypes()];
  if (value)
    return value;
  Value product;
  for (StringRef name : extent.sizes()) {
    Value &size = loaded[name];
    if (!size && !(size = arithmetic->load(name)))
      return {};
    product = product ? arithmetic->multiply(product, size) : size;
  }
  if (extent.factor() == 1)
    return value = product;
  Value factor = arithmetic->constant(extent.factor());
  return value = arithmetic->multiply(product, factor);
}

/// Emits the computation of a scalar of type `type`. Returns null if a size cannot be loaded.
Value EmittedSizes::compute(const SizeNumber &number, Type type) {
  Value value = of(number.extent);
  if (!value)
    return {};
  if (number.plus)
    value = arithmetic->add(value, arithmetic->constant(number.plus));
  return arithmetic->convert(value, type);
}

Value EmittedSizes::of(const SizeNumber &number, Type type) {
  Value &value = numbers[{number.extent.inTypes(), number.plus, type.getAsOpaquePointer()}];
  if (value)
    return value;
  Value element = compute(number, getElementTypeOrSelf(type));
  auto vector = dyn_cast<VectorType>(type);
  return value = element && vector ? arithmetic->repeat(element, vector) : element;
}
