//===- Quantization.cpp - ONNX Runtime's products of integers -------------===//

#include "../MatMul.h"
#include "../Quantization.h"
#include "OpTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

namespace {

/// The layer of rounded rows, where `weight` is stored; else what it is in floats.
LogicalResult yieldProduct(NodeContext &n, std::optional<SmallIntegers::Rounded> rounded, Value rows, Value weight,
                           Value bias) {
  if (bias && (failed(n.requireFloat(bias)) || shapeOf(bias) != Shape{shapeOf(weight).back()}))
    return n.error() << "a bias of " << typeText(bias) << " does not fit weights of " << shapeText(shapeOf(weight));
  if (rounded)
    if (Value layer = roundedLinear(n, *rounded, weight, bias))
      return n.yield(layer);
  FailureOr<Value> product = matmul(n, rows, weight);
  if (failed(product))
    return failure();
  return n.yield(bias ? n.b.add(*product, bias) : *product);
}

LogicalResult requireIntegers(NodeContext &n, ArrayRef<size_t> operands) {
  for (size_t i : operands)
    if (n.in(i) && failed(requireSmall(n, i)))
      return failure();
  return success();
}

/// Rows of f32, rounded with one scale and zero point for all, times integers.
LogicalResult convertDynamicQuantizeMatMul(NodeContext &n) {
  if (failed(requireIntegers(n, {1, 3})) || failed(n.requireFloat(n.in(0))))
    return failure();
  if (!elementOf(n.in(0)).isF32() || rankOf(n.in(1)) == 0)
    return n.error() << "expected rows of f32 and weights with dimensions, found " << typeText(n.in(0)) << " and "
                     << shapeText(shapeOf(n.in(1)));
  FailureOr<Value> weight = dequantize(n, n.in(1), {n.in(2), n.in(3), n.smallType(1), -1, 0});
  if (failed(weight))
    return failure();
  SmallIntegers::Rounded rounded = roundDynamically(n, n.in(0));
  Value rows = roundedFloats(n.b, rounded);
  return yieldProduct(n, rounded, rows, *weight, n.in(4));
}

/// Integers of both sides with their scales; the rows' are one number.
LogicalResult convertMatMulIntegerToFloat(NodeContext &n) {
  Value a = n.in(0), scale = n.in(2), zero = n.in(4);
  if (failed(requireIntegers(n, {0, 1, 4, 5})))
    return failure();
  if (countOf(scale).number() != 1 || (zero && countOf(zero).number() != 1))
    return n.error() << "scales and zero points of single rows are not supported";
  if (rankOf(n.in(1)) == 0)
    return n.error() << "expected weights with dimensions";
  FailureOr<Value> weight = dequantize(n, n.in(1), {n.in(3), n.in(5), n.smallType(1), -1, 0});
  if (failed(weight))
    return failure();
  std::optional<SmallIntegers::Rounded> rounded;
  auto found = n.model.small.integers.find(a);
  if (found != n.model.small.integers.end() && areSame(found->second.scale, scale) && areSame(found->second.zero, zero))
    rounded = found->second;
  FailureOr<Value> rows = dequantize(n, a, {scale, zero, n.smallType(0), -1, 0});
  return failed(rows) ? failure() : yieldProduct(n, rounded, *rows, *weight, n.in(6));
}

/// A weight's bytes as they are in the file, without the steps of its integers; null where there are none.
WeightOp bytesOf(Value integers) {
  auto op = integers.getDefiningOp<DequantizeOp>();
  auto weight = op ? op.getInput().getDefiningOp<WeightOp>() : WeightOp();
  auto isAdd = [](Attribute step) { return isa<AddStepAttr>(step); };
  return weight && llvm::all_of(weight.getRecipe(), isAdd) ? weight : WeightOp();
}

/// [N, blocks] numbers of `bits` that are stored in rows of whole bytes, as [columns, N], less 2^(bits - 1).
Value unpack(Emitter &b, WeightOp stored, int64_t bits, int64_t n, int64_t rowBytes, int64_t columns) {
  MLIRContext *context = b.getContext();
  SmallVector<Attribute> steps = {ReshapeStepAttr::get(context, {n, rowBytes})};
  if (bits == 4)
    steps.push_back(NibblesStepAttr::get(context));
  if (int64_t width = rowBytes * 8 / bits; width != columns)
    steps.push_back(SliceStepAttr::get(context, {0, 0}, {n, columns}));
  steps.push_back(AddStepAttr::get(context, -(int64_t(1) << (bits - 1))));
  steps.push_back(TransposeStepAttr::get(context, {1, 0}));
  return WeightOp::create(b, RankedTensorType::get({columns, n}, b.getI8Type()), stored.getNameAttr(),
                          b.getArrayAttr(steps));
}

/// Weights in blocks along the contraction, 4 or 8 bits each: rows in floats, whatever accuracy_level allows.
LogicalResult convertMatMulNBits(NodeContext &n) {
  Value x = n.in(0), scales = n.in(2), zeros = n.in(3), bias = n.in(5);
  int64_t k = n.intAttr("K", 0), columns = n.intAttr("N", 0), bits = n.intAttr("bits", 4),
          block = n.intAttr("block_size", 0);
  n.intAttr("accuracy_level", 0);
  n.intAttr("weight_prepacked", 0);
  if (n.in(4))
    return n.error() << "g_idx is not supported";
  if (bits != 4 && bits != 8)
    return n.error() << "weights of " << bits << " bits are not supported, only of 4 and 8";
  if (k < 1 || columns < 1 || k > maxElements || columns > maxElements || block < 16 || block > (1 << 16) ||
      !llvm::isPowerOf2_64(block))
    return n.error() << "expected K, N, and a block_size that is a power of 2 from 16 on, found " << k << ", " << columns
                     << " and " << block;
  if (failed(n.requireFloat(x)) || failed(requireSmall(n, 1)))
    return failure();
  if (rankOf(x) == 0 || shapeOf(x).back() != Dim(k))
    return n.error() << "rows of " << typeText(x) << " are not of K = " << k;
  int64_t blocks = llvm::divideCeilSigned(k, block), blockBytes = block * bits / 8;
  WeightOp stored = bytesOf(n.in(1));
  if (!stored || !isStored(scales) || (zeros && !n.smallType(3)) || (zeros && !bytesOf(zeros)))
    return n.error() << "weights, scales and zero points must be tensors of the file, the zero points integers";
  auto count = [](Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); };
  if (shapeOf(n.in(1)) != Shape{columns, blocks, blockBytes})
    return n.error() << "weights of " << shapeText(shapeOf(n.in(1))) << ", expected "
                     << shapeText(ArrayRef<int64_t>{columns, blocks, blockBytes});
  if (failed(n.requireFloat(scales)) || count(scales) != columns * blocks)
    return n.error() << "scales of " << typeText(scales) << ", expected " << columns * blocks << " floats";
  int64_t zeroBytes = llvm::divideCeilSigned(blocks * bits, 8);
  if (zeros && count(zeros) != columns * zeroBytes)
    return n.error() << "zero points of " << shapeText(shapeOf(zeros)) << ", expected " << columns * zeroBytes << " bytes";
  if (bias && (shapeOf(bias) != Shape{columns} || failed(n.requireSameElements({x, bias}))))
    return n.error() << "a bias of " << typeText(bias) << " does not fit " << columns << " columns";

  Emitter &b = n.b;
  Value integers = unpack(b, stored, bits, columns, blocks * blockBytes, k);
  Value steps = transposeStored(b, reshapeStored(b, floats(b, scales), {columns, blocks}), {1, 0});
  Value offsets = zeros ? unpack(b, bytesOf(zeros), bits, columns, zeroBytes, blocks) : Value();
  auto type = RankedTensorType::get({k, columns}, b.getF32Type());
  Value weight = DequantizeOp::create(b, type, integers, steps, offsets, Value(), Value(), ArrayRef<int64_t>{block, 1},
                                      ArrayRef<int64_t>());
  FailureOr<Value> product = matmul(n, b.castTo(x, b.getF32Type()), weight);
  if (failed(product))
    return failure();
  Value result = b.castTo(*product, elementOf(x));
  return n.yield(bias ? b.add(result, bias) : result);
}

} // namespace

void heddle::onnx::addOnnxRuntimeQuantization(OpTable &table) {
  auto takes = [](auto convert, unsigned least, unsigned most) {
    return OpEntry{convert, least, most, 1, INT64_MAX, SmallUse::Takes};
  };
  table["DynamicQuantizeMatMul"] = takes(convertDynamicQuantizeMatMul, 3, 5);
  table["MatMulIntegerToFloat"] = takes(convertMatMulIntegerToFloat, 4, 7);
  table["MatMulNBits"] = takes(convertMatMulNBits, 3, 6);
}
