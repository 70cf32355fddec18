//===- Convolution.cpp - Conv on patches, BatchNormalization --------------===//

#include "OpTable.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

/// Splits [batch, channels, positions..] into patches [batch, patches.., channels, kernel..]. `counts` contains the
/// number of patches along each dimension.
Value patchesOf(Emitter &b, Value x, ArrayRef<Dim> counts, ArrayRef<int64_t> kernel) {
  Shape offsets(rankOf(x), 0), whole(shapeOf(x)), cut(ArrayRef(whole).take_front(2));
  Numbers steps(rankOf(x), 1);
  for (auto [dim, count] : llvm::enumerate(counts)) {
    whole[dim + 2] = count * kernel[dim]; // positions after the last complete patch are dropped
    cut.append({count, Dim(kernel[dim])});
  }
  x = b.reshape(b.slice(x, offsets, whole, steps), cut);
  Numbers order{0};
  for (size_t dim = 0; dim < counts.size(); ++dim)
    order.push_back(2 + 2 * dim);
  order.push_back(1);
  for (size_t dim = 0; dim < counts.size(); ++dim)
    order.push_back(3 + 2 * dim);
  return b.transpose(x, order);
}

/// Converts a convolution whose stride equals its kernel size to a linear layer on each patch.
LogicalResult convertConv(NodeContext &n) {
  Value x = n.in(0), weight = n.in(1), bias = n.in(2);
  if (failed(n.requireFloat(x)) ||
      failed(n.requireSameElements(n.in(2) ? ArrayRef<Value>{x, weight, bias} : ArrayRef<Value>{x, weight})))
    return failure();
  if (rankOf(x) < 3 || rankOf(weight) != rankOf(x))
    return n.error() << "expected an input and a weight of 3 dimensions or more, found " << typeText(x) << " and "
                     << typeText(weight);
  std::optional<Numbers> weightShape = fixedNumbers(shapeOf(weight));
  if (!weightShape)
    return n.error() << "the shape of the weight must be the same for all sizes, found " << typeText(weight);
  int64_t dims = rankOf(x) - 2, channels = (*weightShape)[1], outputs = (*weightShape)[0];
  Numbers kernel(ArrayRef(*weightShape).drop_front(2));
  auto list = [&](StringRef name, int64_t count, int64_t otherwise) {
    return n.intsAttr(name).value_or(Numbers(count, otherwise));
  };
  Numbers strides = list("strides", dims, 1), dilations = list("dilations", dims, 1), pads = list("pads", 2 * dims, 0);
  std::string autoPad = n.stringAttr("auto_pad", "NOTSET");
  if (n.intsAttr("kernel_shape").value_or(kernel) != kernel)
    return n.error() << "kernel_shape differs from the kernel of the weight, " << typeText(weight);
  if (n.intAttr("group", 1) != 1)
    return n.error() << "convolutions in groups are not supported";
  if (strides != kernel)
    return n.error() << "a convolution whose strides " << shapeText(strides) << " differ from its kernel "
                     << shapeText(kernel) << " is not supported";
  if (llvm::any_of(pads, [](int64_t pad) { return pad != 0; }) || (autoPad != "NOTSET" && autoPad != "VALID"))
    return n.error() << "a convolution with padding is not supported";
  bool dense = llvm::all_of(llvm::zip(dilations, kernel),
                            [](auto pair) { return std::get<0>(pair) == 1 || std::get<1>(pair) == 1; });
  if (dilations.size() != kernel.size() || !dense)
    return n.error() << "a convolution with dilations " << shapeText(dilations) << " is not supported";
  if (shapeOf(x)[1] != channels || (bias && shapeOf(bias) != Shape{outputs}))
    return n.error() << "a weight of " << typeText(weight) << " does not fit an input of " << typeText(x);
  Shape counts;
  int64_t inner = channels;
  Shape from = shapeOf(x);
  for (auto [extent, size] : llvm::zip_equal(ArrayRef(from).drop_front(2), kernel)) {
    if (size < 1 || extent < size)
      return n.error() << "a kernel of " << shapeText(kernel) << " does not fit an input of " << typeText(x);
    counts.push_back(extent / size);
    inner *= size;
  }

  Emitter &b = n.b;
  Shape result{shapeOf(x)[0]};
  llvm::append_range(result, counts);
  Value rows = b.reshape(patchesOf(b, x, counts, kernel), {*countElements(result), inner});
  Value y = b.matmul(rows, b.transpose(b.reshape(weight, {outputs, inner}), {1, 0}));
  if (bias)
    y = b.add(y, bias);
  result.push_back(outputs);
  y = b.reshape(y, result);
  Numbers order{0, dims + 1};
  for (int64_t dim = 1; dim <= dims; ++dim)
    order.push_back(dim);
  return n.yield(b.transpose(y, order));
}

/// (x - mean) / sqrt(variance + epsilon) * scale + bias. Each operand except x has one element for each channel.
/// Training is not supported.
LogicalResult convertBatchNorm(NodeContext &n) {
  Value x = n.in(0);
  double epsilon = n.floatAttr("epsilon", 1e-5f);
  n.floatAttr("momentum", 0.9); // used only in training
  if (failed(n.requireFloat(x)) || failed(n.requireSameElements(n.operands())))
    return failure();
  if (n.opset >= 14 && n.intAttr("training_mode", 0) != 0)
    return n.error() << "training_mode 1 is not supported";
  if (n.opset < 9 && n.intAttr("spatial", 1) != 1)
    return n.error() << "spatial 0 is not supported";
  for (size_t i = 1; i < 5; ++i)
    if (n.wants(i))
      return n.error() << "the statistics of training, output " << i << ", are not supported";
  if (rankOf(x) < 2)
    return n.error() << "expected 2 dimensions or more, found " << typeText(x);
  Emitter &b = n.b;
  Shape channel(rankOf(x) - 1, 1);
  channel[0] = shapeOf(x)[1];
  Value operands[4];
  for (size_t i = 0; i < 4; ++i) {
    if (shapeOf(n.in(i + 1)) != Shape{channel[0]})
      return n.error() << "expected one number for each of " << channel[0].text() << " channels, found "
                       << typeText(n.in(i + 1));
    operands[i] = b.reshape(n.in(i + 1), channel);
  }
  auto [scale, bias, mean, variance] = operands;
  Value deviation = b.elementwise<math::SqrtOp>(b.add(variance, b.splatLike(variance, epsilon)));
  return n.yield(b.add(b.mul(b.sub(x, mean), b.div(scale, deviation)), bias));
}

} // namespace

void heddle::onnx::addConvolutionOps(OpTable &table) {
  table["Conv"] = {convertConv, 2, 3};
  table["BatchNormalization"] = {convertBatchNorm, 5, 5, 7};
}
