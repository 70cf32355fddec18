//===- RowLayers.cpp - softmax and norms on tiles of rows -----------------===//

#include "RowLayers.h"
#include "ActiveRows.h"
#include "RowOps.h"
#include "Widened.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace heddle;

Value heddle::emitSoftmaxTile(OpBuilder &b, Location loc, const SoftmaxTile &tile, ReductionStart start) {
  auto type = cast<RankedTensorType>(tile.x.getType());
  Type element = type.getElementType();
  RowAccess kept = tile.alongRows ? RowAccess::Row : RowAccess::Column;
  Value lowest = start(-std::numeric_limits<double>::infinity());
  Value max =
      emitRowOp(b, loc, {{tile.x, RowAccess::Tile}}, {{lowest, kept}}, [&](OpBuilder &body, ValueRange arguments) {
        return SmallVector<Value>{arith::MaxNumFOp::create(body, loc, arguments[0], arguments[1])};
      })[0];
  Value zeros = start(-0.0);
  // With `streams`, the result must not be read again, so the exponentials are stored in a scratch tensor.
  Value exps = tile.streams   ? Value(tensor::EmptyOp::create(b, loc, type.getShape(), element))
               : tile.inPlace ? tile.x
                              : tile.target;
  // An operation that changes a tensor in place must read it as an output, not as an input.
  SmallVector<RowInput> inputs = {{tile.x, RowAccess::Tile}, {max, kept}};
  if (tile.inPlace)
    inputs.erase(inputs.begin());
  ValueRange results =
      emitRowOp(b, loc, inputs, {{exps, RowAccess::Tile}, {zeros, kept}}, [&](OpBuilder &body, ValueRange arguments) {
        Value x = tile.inPlace ? arguments[1] : arguments[0], largest = tile.inPlace ? arguments[0] : arguments[1];
        Value shifted = arith::SubFOp::create(body, loc, x, largest);
        Value exp = emitExpOfNonPositive(body, loc, shifted); // the argument is at most 0, or NaN
        Value sum = arith::AddFOp::create(body, loc, exp, arguments.back());
        return SmallVector<Value>{exp, sum};
      });
  Value sums = results[1];
  if (tile.streams) {
    emitRowByRow(max);
    emitRowByRow(results);
  }
  Value target = tile.streams || tile.inPlace ? tile.target : results[0];
  return emitRowOp(b, loc, {{results[0], RowAccess::Tile}, {sums, kept}}, {{target, RowAccess::Tile}},
                   [&](OpBuilder &body, ValueRange arguments) {
                     Value one = emitFloat(body, loc, element, 1.0);
                     Value inverse = arith::DivFOp::create(body, loc, one, arguments[1]);
                     return SmallVector<Value>{arith::MulFOp::create(body, loc, arguments[0], inverse)};
                   })[0];
}

std::optional<NormLayer> NormLayer::of(Operation *op) {
  if (auto norm = dyn_cast<LayerNormOp>(op))
    return NormLayer{norm.getResult(), norm.getInput(),    norm.getScale(),
                     norm.getBias(),   norm.getResidual(), norm.getEpsilon().convertToDouble(),
                     /*centred=*/true};
  if (auto norm = dyn_cast<RmsNormOp>(op))
    return NormLayer{norm.getResult(), norm.getInput(),    norm.getScale(),
                     Value(),          norm.getResidual(), norm.getEpsilon().convertToDouble(),
                     /*centred=*/false};
  return std::nullopt;
}

namespace {
/// Emits the scalar code of a norm.
struct NormCode {
  Location loc;
  Type element;
  const NormTile &tile;

  Value add(OpBuilder &body, Value left, Value right) { return arith::AddFOp::create(body, loc, left, right); }
  Value square(OpBuilder &body, Value x) { return arith::MulFOp::create(body, loc, x, x); }
  /// Returns sum / columns. The division rounds once; a product with the rounded 1 / columns would add a second error.
  Value meanOf(OpBuilder &body, Value sum) {
    return arith::DivFOp::create(body, loc, sum, emitFloat(body, loc, element, double(tile.columns)));
  }
  /// Returns an element plus its residual and, if `sum` is not null, minus the mean of its row.
  Value term(OpBuilder &body, ValueRange arguments, Value sum) {
    Value x = arguments[0];
    if (tile.residual)
      x = add(body, x, arguments[1]);
    if (!sum)
      return x;
    Value mean = meanOf(body, sum);
    return arith::SubFOp::create(body, loc, x, mean);
  }
};
} // namespace

Value heddle::emitNormTile(OpBuilder &b, Location loc, const NormLayer &layer, const NormTile &tile,
                           ReductionStart start) {
  Type element = cast<RankedTensorType>(tile.x.getType()).getElementType();
  NormCode code = {loc, element, tile};
  SmallVector<RowInput> inputs = {{tile.x, RowAccess::Tile}};
  if (tile.residual)
    inputs.push_back({tile.residual, RowAccess::Tile});
  unsigned sumAt = inputs.size();
  // Sums start from -0.0: an addition to -0.0 changes no number, so it can be folded.
  auto zeros = [&]() -> RowInput { return {start(-0.0), RowAccess::Row}; };
  if (layer.centred) {
    Value sum = emitRowOp(b, loc, inputs, zeros(), [&](OpBuilder &body, ValueRange arguments) {
      return SmallVector<Value>{code.add(body, arguments.back(), code.term(body, arguments, Value()))};
    })[0];
    if (tile.streams)
      emitRowByRow(sum);
    inputs.push_back({sum, RowAccess::Row});
  }
  auto sumOf = [&](ValueRange arguments) { return layer.centred ? arguments[sumAt] : Value(); };
  Value squares = emitRowOp(b, loc, inputs, zeros(), [&](OpBuilder &body, ValueRange arguments) {
    Value term = code.term(body, arguments, sumOf(arguments));
    return SmallVector<Value>{code.add(body, arguments.back(), code.square(body, term))};
  })[0];
  if (tile.streams)
    emitRowByRow(squares);
  unsigned squaresAt = inputs.size();
  inputs.push_back({squares, RowAccess::Row});
  if (layer.scale)
    inputs.push_back({layer.scale, RowAccess::Column});
  if (layer.bias)
    inputs.push_back({layer.bias, RowAccess::Column});
  unsigned flagsAt = inputs.size();
  if (tile.flags)
    inputs.push_back({tile.flags, RowAccess::Row});
  return emitRowOp(b, loc, inputs, {{tile.target, RowAccess::Tile}}, [&](OpBuilder &body, ValueRange arguments) {
    Value mean = code.meanOf(body, arguments[squaresAt]);
    Value root = math::SqrtOp::create(body, loc, code.add(body, mean, emitFloat(body, loc, element, layer.epsilon)));
    Value factor = arith::DivFOp::create(body, loc, emitFloat(body, loc, element, 1.0), root);
    Value y = arith::MulFOp::create(body, loc, code.term(body, arguments, sumOf(arguments)), factor);
    auto ofColumn = [&](unsigned number) { return emitExtended(body, loc, arguments[number], element); };
    if (layer.scale)
      y = arith::MulFOp::create(body, loc, y, ofColumn(squaresAt + 1));
    if (layer.bias)
      y = code.add(body, y, ofColumn(squaresAt + (layer.scale ? 2 : 1)));
    if (tile.flags)
      y = emitKept(body, loc, arguments[flagsAt], y);
    return SmallVector<Value>{y};
  })[0];
}
