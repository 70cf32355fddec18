//===- Layers.cpp - layers that families share ----------------------------===//

#include "Layers.h"

#include "Tensors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

/// Returns the type of `value` with `width` as the last dimension.
static RankedTensorType withWidth(Value value, int64_t width) {
  SmallVector<int64_t> shape(getType(value).getShape());
  shape.back() = width;
  return getType(value).clone(shape);
}

void Layers::enter(StringRef name) { main.setLoc(NameLoc::get(main.getStringAttr(name), checkpoint.loc)); }

Value Layers::weight(ArrayRef<std::string> names, ArrayRef<int64_t> shape) {
  return checkpoint.weight(main, names, {SmallVector<int64_t>(shape)});
}

Value Layers::embed(const std::string &table, int64_t rows, int64_t width, Value ids) {
  return lookUp(main, weight({table}, {rows, width}), ids);
}

LinearWeight Layers::projectionWeight(int64_t in, const Projection &projection) {
  Checkpoint::Layout layout;
  int64_t stored = projection.storedOut ? projection.storedOut : projection.out;
  layout.shape = {in, stored};
  layout.transposed = !projection.inOut;
  if (projection.storedOut)
    layout.part = {1, projection.begin, projection.out / projection.groups, projection.groups};
  return checkpoint.linearWeight(main, {projection.name + ".weight"}, layout);
}

Value Layers::projectionBias(const Projection &projection) {
  if (!projection.bias)
    return {};
  Checkpoint::Layout layout;
  layout.shape = {projection.storedOut ? projection.storedOut : projection.out};
  if (projection.storedOut)
    layout.part = {0, projection.begin, projection.out / projection.groups, projection.groups};
  return checkpoint.weight(main, {projection.name + ".bias"}, layout);
}

Value Layers::linear(Value input, const LinearWeight &weight, Value bias, Value residual, Activation activation) {
  if (!weight.order.empty())
    input = takeColumns(main, input, weight.order);
  return LinearOp::create(main, withWidth(input, getType(weight.weight).getDimSize(1)), input, weight.weight, bias,
                          residual, ActivationAttr::get(main.getContext(), activation), weight.rounding);
}

Value Layers::linear(Value input, const Projection &projection, Value residual, Activation activation) {
  LinearWeight weight = projectionWeight(getType(input).getShape().back(), projection);
  return linear(input, weight, projectionBias(projection), residual, activation);
}

Value Layers::linear(Value input, ArrayRef<std::string> weights, ArrayRef<std::string> biases, int64_t out) {
  Checkpoint::Layout layout{{getType(input).getShape().back(), out}, /*transposed=*/true};
  LinearWeight weight = checkpoint.linearWeight(main, weights, layout);
  Value bias = biases.empty() ? Value() : this->weight(biases, out);
  return linear(input, weight, bias, /*residual=*/Value(), Activation::None);
}

Value Layers::layerNorm(Value input, const std::string &name, double epsilon, bool bias) {
  int64_t width = getType(input).getShape().back();
  Value scale = weight({name + ".weight", name + ".gamma"}, width);
  Value shift = bias ? weight({name + ".bias", name + ".beta"}, width) : Value();
  return LayerNormOp::create(main, input.getType(), input, scale, shift, /*residual=*/Value(),
                             main.getF64FloatAttr(epsilon));
}

Value Layers::rmsNorm(Value input, const std::string &name, double epsilon, double plus) {
  Value scale = weight({name + ".weight"}, getType(input).getShape().back());
  if (plus != 0)
    scale = add(scale, splat(main, getType(scale), plus));
  return RmsNormOp::create(main, input.getType(), input, scale, /*residual=*/Value(), main.getF64FloatAttr(epsilon));
}

Value Layers::rotate(Value heads, const Rotation &rotation) {
  return RotaryEmbeddingOp::create(main, heads.getType(), heads, rotation.cosine, rotation.sine,
                                   /*interleaved=*/UnitAttr(), LayoutAttr::get(main.getContext(), Layout::Bshd));
}

Value Layers::feedForward(Value input, const FeedForward &layers, Value residual) {
  int64_t width = getType(input).getShape().back();
  LinearWeight up = projectionWeight(width, layers.up);
  Value upBias = projectionBias(layers.up);
  LinearWeight down = projectionWeight(layers.up.out, layers.down);
  Value downBias = projectionBias(layers.down);
  LinearWeight gate;
  Value gateBias;
  if (layers.gate) {
    gate = projectionWeight(width, *layers.gate);
    gateBias = projectionBias(*layers.gate);
  }
  auto isQuantized = [](const LinearWeight &weight) {
    return weight.weight && weight.weight.getDefiningOp<DequantizeOp>();
  };
  // Each quantised layer may round its own input, which heddle.ffn does not support.
  if (isQuantized(up) || isQuantized(down) || isQuantized(gate)) {
    Value hidden = linear(input, up, upBias, /*residual=*/Value(), layers.gate ? Activation::None : layers.activation);
    if (layers.gate) {
      Value factor = linear(input, gate, gateBias, /*residual=*/Value(), layers.activation);
      hidden = arith::MulFOp::create(main, factor, hidden);
    }
    return linear(hidden, down, downBias, residual, Activation::None);
  }
  return FfnOp::create(main, withWidth(input, layers.down.out), input, up.weight, down.weight, upBias, downBias,
                       gate.weight, gateBias, residual, ActivationAttr::get(main.getContext(), layers.activation));
}

Value Layers::splitHeads(Value value, int64_t heads) {
  SmallVector<int64_t> shape = numbersOf({batch, sequence, heads, getType(value).getShape().back() / heads});
  return tensor::ExpandShapeOp::create(main, getType(value).clone(shape), value,
                                       ArrayRef<ReassociationIndices>{{0}, {1}, {2, 3}});
}

Value Layers::mergeHeads(Value value) {
  ArrayRef<int64_t> shape = getType(value).getShape();
  SmallVector<int64_t> merged = numbersOf({batch, sequence, shape[2] * shape[3]});
  return tensor::CollapseShapeOp::create(main, getType(value).clone(merged), value,
                                         ArrayRef<ReassociationIndices>{{0}, {1}, {2, 3}});
}

Value Layers::attention(Value query, Value key, Value value, const AttentionTraits &traits) {
  MLIRContext *context = main.getContext();
  auto optional = [&](std::optional<double> number) {
    return number ? main.getF64FloatAttr(*number) : FloatAttr();
  };
  auto bshd = LayoutAttr::get(context, Layout::Bshd);
  SmallVector<int64_t> shape(getType(query).getShape());
  shape.back() = getType(value).getShape().back();
  auto bhsd = LayoutAttr::get(context, Layout::Bhsd);
  if (past)
    std::tie(key, value) = past->append(main, key, value);
  auto attention = AttentionOp::create(
      main, TypeRange{getType(query).clone(shape)}, query, key, value, traits.bias, traits.mask,
      traits.keyLengths, /*reads=*/ValueRange(), optional(traits.scale), optional(traits.softcap),
      traits.mask ? main.getF64FloatAttr(traits.maskedScore) : FloatAttr(), CausalAttr::get(context, traits.causal),
      traits.window.empty() ? DenseI64ArrayAttr() : main.getDenseI64ArrayAttr(traits.window),
      EmptyRowAttr::get(context, EmptyRow::Zeros), SoftmaxPrecisionAttr::get(context, SoftmaxPrecision::F32),
      /*rounding=*/TypeAttr(), bshd,
      past ? bhsd : bshd, past ? bhsd : bshd, bshd, /*with_weights=*/UnitAttr());
  return attention.getResult();
}

Value Layers::add(Value left, Value right) { return arith::AddFOp::create(main, left, right); }

Value Layers::rowsOfPositions(Value table) {
  if (past)
    return lookUp(main, table, past->positions);
  return sequence.number() == getType(table).getDimSize(0) ? table : takeRows(main, table, sequence);
}

Value Layers::maskKeys(Value mask) {
  return tensor::ExpandShapeOp::create(main, getType(mask).clone(numbersOf({batch, 1, 1, sequence})), mask,
                                       ArrayRef<ReassociationIndices>{{0}, {1, 2, 3}});
}
