//===- EmitByElement.cpp - movement of single elements --------------------===//
//
// Operations for reshapes, slices and concatenations have static shapes, in which placeholders represent sizes. If the
// placeholders violate the verifier's conditions, or if a slice has a negative step, the functions below emit a lookup
// of each element instead, at an index that the compiled code computes.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"

#include "sizes/SizeScope.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// Reshapes by looking up each element by its row-major linear index. An example is the reshape of 8 * s elements to
/// rows of length min(s, 4).
Value Emitter::reshapeByElement(Value value, ArrayRef<Dim> dims) {
  auto valuesOf = [&](ArrayRef<Dim> shape) {
    return llvm::map_to_vector(shape, [&](const Dim &dim) { return index(heddle::maximum(dim, 1)); });
  };
  SmallVector<Value> from = valuesOf(shapeOf(value)), to = valuesOf(dims);
  return generate(dims, elementOf(value), {}, [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
    Value place = arith::ConstantIndexOp::create(b, 0);
    for (auto [dim, extent] : llvm::enumerate(to))
      place = arith::AddIOp::create(b, arith::MulIOp::create(b, place, extent), linalg::IndexOp::create(b, dim));
    SmallVector<Value> at(from.size());
    for (size_t dim = from.size(); dim-- > 0;) {
      at[dim] = arith::RemSIOp::create(b, place, from[dim]);
      place = arith::DivSIOp::create(b, place, from[dim]);
    }
    return tensor::ExtractOp::create(b, value, at);
  });
}

/// Slices by looking up each element at offset + index * step.
Value Emitter::sliceByElement(Value value, ArrayRef<Dim> offsets, ArrayRef<Dim> sizes, ArrayRef<int64_t> steps) {
  SmallVector<Value> first = llvm::map_to_vector(offsets, [&](const Dim &offset) { return index(offset); });
  return generate(sizes, elementOf(value), {}, [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
    SmallVector<Value> at;
    for (size_t dim = 0; dim < offsets.size(); ++dim) {
      Value i = linalg::IndexOp::create(b, dim);
      Value step = arith::ConstantIndexOp::create(b, steps[dim]);
      at.push_back(arith::AddIOp::create(b, arith::MulIOp::create(b, i, step), first[dim]));
    }
    return tensor::ExtractOp::create(b, value, at);
  });
}

/// Concatenates parts whose extents add up to the result's extent at all sizes, although the placeholders of these
/// extents do not add up. An example is s rows and 8 - s rows. For each element of the result, looks up one element of
/// every part, at an index that is clamped to the part, and selects the right element. A part that may be empty has no
/// valid index. For such a part, the function requires placeholders that add up.
Value Emitter::concatByElement(ValueRange values, int64_t axis, ArrayRef<Dim> shape) {
  // `begin` is the index of the part's first element in the result and `last` is the last index in the part, both along
  // `axis`. `element` is the value of all elements of a splat constant; for such a part, `last` is null.
  struct Part {
    Value value, begin, last, element;
  };
  SmallVector<Part> parts;
  SizeScope &scope = *SizeScope::current();
  Dim begin = 0;
  for (Value value : values) {
    Dim extent = shapeOf(value)[axis];
    Part part{value, index(begin), {}, {}};
    DenseElementsAttr elements = constantOf(value);
    if (elements && elements.isSplat())
      part.element = arith::ConstantOp::create(*this, cast<TypedAttr>(elements.getSplatValue<Attribute>()));
    else if (extent.low() < 1 && !scope.requireSum(shape[axis].asExpression()) && !scope.needsOtherPlaceholders())
      scope.refuse("cannot concatenate a part of extent '" + extent.text() + "'" +
                   scope.example(extent.asExpression()) + ", because it may be empty");
    else
      part.last = index(extent - 1);
    parts.push_back(part);
    begin += extent;
  }
  return generate(shape, elementOf(values.front()), {}, [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
    Value place = linalg::IndexOp::create(b, axis), zero = arith::ConstantIndexOp::create(b, 0), result;
    for (const Part &part : parts) {
      Value element = part.element;
      if (!element) {
        SmallVector<Value> at;
        for (size_t dim = 0; dim < shape.size(); ++dim)
          at.push_back(linalg::IndexOp::create(b, dim));
        Value inside = arith::SubIOp::create(b, place, part.begin);
        inside = arith::MaxSIOp::create(b, inside, zero);
        at[axis] = part.last ? arith::MinSIOp::create(b, inside, part.last).getResult() : zero;
        element = tensor::ExtractOp::create(b, part.value, at);
      }
      Value isBehind = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, place, part.begin);
      result = result ? arith::SelectOp::create(b, isBehind, element, result).getResult() : element;
    }
    return result;
  });
}
