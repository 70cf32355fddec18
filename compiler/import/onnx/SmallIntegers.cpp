//===- SmallIntegers.cpp - integers of 4 and 8 bits -----------------------===//

#include "SmallIntegers.h"

#include "NodeContext.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

double heddle::onnx::minOf(IntegerType type) { return type.isUnsigned() ? 0 : -double(1 << (type.getWidth() - 1)); }
double heddle::onnx::maxOf(IntegerType type) {
  return double((1 << (type.isUnsigned() ? type.getWidth() : type.getWidth() - 1)) - 1);
}

/// The number that is subtracted from integers of this type when they are stored as i8.
static int64_t offsetOf(IntegerType type) { return type.isUnsigned() && type.getWidth() == 8 ? 128 : 0; }

DenseElementsAttr heddle::onnx::floatsOf(const TensorData &tensor) {
  SmallVector<float> numbers;
  for (char byte : tensor.bytes)
    numbers.push_back(tensor.small.isUnsigned() ? float(uint8_t(byte)) : float(int8_t(byte)));
  auto type = RankedTensorType::get(tensor.type.getShape(), Float32Type::get(tensor.type.getContext()));
  return DenseElementsAttr::get(type, ArrayRef(numbers));
}

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Returns the weight with `step` appended to its recipe, the steps that are applied to the stored tensor when a
/// library is written. `type` is the type after this step.
static Value through(Emitter &b, WeightOp weight, Attribute step, RankedTensorType type) {
  SmallVector<Attribute> steps(weight.getRecipe().begin(), weight.getRecipe().end());
  steps.push_back(step);
  return WeightOp::create(b, type, weight.getNameAttr(), b.getArrayAttr(steps));
}

/// Returns an i8 constant of this shape whose elements are all `number`.
static Value bytes(Emitter &b, ArrayRef<int64_t> shape, int64_t number) {
  auto type = RankedTensorType::get(shape, b.getI8Type());
  return b.constant(DenseElementsAttr::get(type, Attribute(b.getIntegerAttr(b.getI8Type(), number))));
}

Value heddle::onnx::storedIntegers(Emitter &b, WeightOp weight, IntegerType type) {
  Value stored = weight;
  RankedTensorType shape = tensorType(weight);
  SmallVector<int64_t> ones(shape.getRank(), 1), block;
  for (int64_t size : shape.getShape())
    block.push_back(std::max<int64_t>(size, 1));
  Value zeros;
  if (int64_t offset = offsetOf(type)) {
    stored = through(b, weight, AddStepAttr::get(b.getContext(), -offset), shape);
    zeros = bytes(b, ones, -offset);
  }
  return DequantizeOp::create(b, shape.clone(Type(b.getF32Type())), stored, b.splat(Shape(ones.begin(), ones.end()), b.getF32Type(), 1),
                              zeros, Value(), Value(), block, ArrayRef<int64_t>());
}

bool heddle::onnx::isStored(Value value) {
  if (auto op = value.getDefiningOp<DequantizeOp>())
    return llvm::all_of(op->getOperands(), isStored);
  return value.getDefiningOp<WeightOp>() || Emitter::constantOf(value);
}

Value heddle::onnx::floats(Emitter &b, Value value) {
  auto weight = value.getDefiningOp<WeightOp>();
  Type f32 = b.getF32Type();
  if (!weight || elementOf(value) == f32)
    return b.castTo(value, f32);
  return through(b, weight, CastStepAttr::get(b.getContext(), f32), tensorType(value).clone(f32));
}

Value heddle::onnx::reshapeStored(Emitter &b, Value value, ArrayRef<int64_t> shape) {
  auto weight = value.getDefiningOp<WeightOp>();
  if (!weight)
    return b.reshape(value, Shape(shape.begin(), shape.end()));
  if (tensorType(value).getShape() == shape)
    return value;
  return through(b, weight, ReshapeStepAttr::get(b.getContext(), shape), tensorType(value).clone(shape));
}

Value heddle::onnx::transposeStored(Emitter &b, Value value, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> shape, block;
  for (int64_t dim : permutation)
    shape.push_back(tensorType(value).getDimSize(dim));
  if (auto weight = value.getDefiningOp<WeightOp>())
    return through(b, weight, TransposeStepAttr::get(b.getContext(), permutation), tensorType(value).clone(shape));
  auto op = value.getDefiningOp<DequantizeOp>();
  if (!op || op.isPlain())
    return b.transpose(value, permutation);
  auto moved = [&](Value part) { return part ? transposeStored(b, part, permutation) : Value(); };
  for (int64_t dim : permutation)
    block.push_back(op.getBlock()[dim]);
  return DequantizeOp::create(b, tensorType(value).clone(shape), moved(op.getInput()), moved(op.getScales()),
                              moved(op.getZeroPoints()), moved(op.getMinima()), Value(), block, ArrayRef<int64_t>());
}

FailureOr<SmallVector<int64_t>> heddle::onnx::checkScaling(NodeContext &n, ArrayRef<Dim> shape, Scaling &scaling) {
  Value &scales = scaling.scales, zeros = scaling.zeros;
  if (failed(n.requireFloat(scales)))
    return failure();
  if (zeros && shapeOf(zeros) != shapeOf(scales))
    return n.error() << "zero points of " << shapeText(shapeOf(zeros)) << " do not fit scales of "
                     << shapeText(shapeOf(scales));
  Shape of = shapeOf(scales);
  SmallVector<int64_t> block;
  bool isBlocked = scaling.block > 0, isOne = !isBlocked && cast<RankedTensorType>(scales.getType()).getNumElements() == 1;
  if (scaling.block < 0)
    return n.error() << "expected a block_size of at least 0, found " << scaling.block;
  if (isOne && of.size() <= std::max<size_t>(1, shape.size())) {
    for (const Dim &size : shape)
      block.push_back(std::max<int64_t>(1, size.number().value_or(1)));
  } else {
    FailureOr<int64_t> axis = n.axis(scaling.axis, shape.size());
    if (failed(axis))
      return failure();
    Shape expected = isBlocked ? Shape(shape) : Shape{shape[*axis]};
    for (const Dim &size : shape)
      block.push_back(isBlocked ? 1 : std::max<int64_t>(1, size.number().value_or(1)));
    block[*axis] = 1;
    if (isBlocked) {
      if (!shape[*axis].number())
        return n.error() << "blocks along a dimension whose size lies in a range are not supported";
      expected[*axis] = int64_t(llvm::divideCeilSigned(*shape[*axis].number(), scaling.block));
      // If there is only one block, its length may exceed the extent of the dimension.
      block[*axis] = std::min(scaling.block, std::max<int64_t>(1, *shape[*axis].number()));
    }
    if (of != expected)
      return n.error() << "scales of " << shapeText(of) << " do not fit " << shapeText(shape) << " along axis " << *axis
                       << ": expected " << shapeText(expected);
  }
  scales = floats(n.b, scales);
  return block;
}

/// Returns the shape of the scales of a tensor of shape `shape` whose elements share scales in blocks of shape `block`.
static SmallVector<int64_t> blocksOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> block) {
  SmallVector<int64_t> blocks;
  for (auto [size, length] : llvm::zip_equal(shape, block))
    blocks.push_back(llvm::divideCeilSigned(size, length));
  return blocks;
}

Value heddle::onnx::spread(Emitter &b, Value scales, ArrayRef<Dim> shape, ArrayRef<int64_t> block) {
  if (cast<RankedTensorType>(scales.getType()).getNumElements() == 1)
    return b.reshape(scales, {});
  if (rankOf(scales) == 1 && shape.size() != 1) { // one scale for each index of an axis
    Shape along(shape.size(), Dim(1));
    size_t axis = llvm::find(block, 1) - block.begin();
    for (size_t i = 0; i < shape.size(); ++i) // dimensions of extent 1 have blocks of length 1 as well
      if (block[i] == 1 && shape[i] == shapeOf(scales)[0])
        axis = i;
    along[axis] = shapeOf(scales)[0];
    return b.reshape(scales, along);
  }
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (block[axis] == 1 || shapeOf(scales)[axis] == shape[axis])
      continue;
    Shape apart = shapeOf(scales), repeated, merged = apart;
    apart.insert(apart.begin() + axis + 1, 1);
    repeated = apart;
    repeated[axis + 1] = block[axis];
    merged[axis] = merged[axis] * Dim(block[axis]);
    scales = b.reshape(b.broadcast(b.reshape(scales, apart), repeated), merged);
    scales = b.slice(scales, axis, 0, shape[axis]);
  }
  return scales;
}

/// Whether all stored zero points are 0 after the conversion to i8. Products then need not subtract them.
static bool areZero(Emitter &b, DequantizeOp zeros, int64_t offset) {
  auto weight = zeros.getInput().getDefiningOp<WeightOp>();
  if (!weight || weight.getRecipe().size() != (offset ? 1 : 0)) // the recipe must be empty or subtract only the offset
    return false;
  Value bytes = WeightOp::create(b, weight.getType(), weight.getNameAttr(), b.getArrayAttr({}));
  DenseElementsAttr elements = b.storedElements(bytes);
  return elements && llvm::all_of(elements.getValues<APInt>(), [&](const APInt &byte) { return byte == offset; });
}

/// Returns the zero points of stored integers as i8, or null if all of them are 0 after the conversion to i8. Fails
/// without an error if the zero points are not stored. `blocks` is the shape of the scales.
static FailureOr<Value> storedZeros(Emitter &b, const Scaling &scaling, ArrayRef<int64_t> blocks) {
  int64_t offset = offsetOf(scaling.type);
  Value zeros = scaling.zeros;
  if (!zeros)
    return offset ? bytes(b, blocks, -offset) : Value();
  if (auto stored = zeros.getDefiningOp<DequantizeOp>(); stored && isStored(stored)) {
    if (areZero(b, stored, offset))
      return Value();
    return reshapeStored(b, stored.getInput(), blocks);
  }
  DenseElementsAttr elements = Emitter::constantOf(zeros);
  if (!elements)
    return failure();
  SmallVector<int8_t> numbers;
  for (const APFloat &number : elements.getValues<APFloat>())
    numbers.push_back(int8_t(int64_t(number.convertToFloat()) - offset));
  if (llvm::all_of(numbers, [](int8_t number) { return number == 0; }))
    return Value();
  auto type = RankedTensorType::get(blocks, b.getI8Type());
  return b.constant(DenseElementsAttr::get(type, ArrayRef(numbers)));
}

/// Returns a heddle.dequantize of the stored bytes if the integers, their scales and their zero points are stored;
/// otherwise returns null.
static Value dequantizeStored(Emitter &b, Value integers, const Scaling &scaling, ArrayRef<int64_t> block) {
  auto raw = integers.getDefiningOp<DequantizeOp>();
  if (!raw || raw.isPlain() || Emitter::splatOf(raw.getScales()) != 1.0 || raw.getMinima() || !isStored(raw) ||
      !scaling.type || !isStored(scaling.scales))
    return {};
  SmallVector<int64_t> blocks = blocksOf(tensorType(integers).getShape(), block);
  FailureOr<Value> zeros = storedZeros(b, scaling, blocks);
  if (failed(zeros))
    return {};
  return DequantizeOp::create(b, tensorType(integers), raw.getInput(), reshapeStored(b, scaling.scales, blocks), *zeros,
                              Value(), Value(), block, ArrayRef<int64_t>());
}

FailureOr<Value> heddle::onnx::dequantize(NodeContext &n, Value integers, Scaling scaling) {
  Shape shape = shapeOf(integers);
  FailureOr<SmallVector<int64_t>> block = checkScaling(n, shape, scaling);
  if (failed(block))
    return failure();
  if (Value stored = dequantizeStored(n.b, integers, scaling, *block))
    return stored;
  if (scaling.zeros)
    integers = n.b.sub(integers, spread(n.b, scaling.zeros, shape, *block));
  return n.b.mul(integers, spread(n.b, scaling.scales, shape, *block));
}

Value heddle::onnx::roundedLinear(NodeContext &n, const SmallIntegers::Rounded &rounded, Value weight, Value bias) {
  Value input = rounded.source;
  if (!isStored(weight) || rankOf(weight) != 2 || rankOf(input) == 0 || !elementOf(weight).isF32() ||
      shapeOf(input).back() != shapeOf(weight)[0] || (bias && shapeOf(bias) != Shape{shapeOf(weight)[1]}))
    return {};
  Shape shape = shapeOf(input);
  shape.back() = shapeOf(weight)[1];
  return LinearOp::create(n.b, onnx::typeOf(shape, elementOf(weight)), input, weight, bias, /*residual=*/Value(),
                          Activation::None, rounded.rounding);
}

bool heddle::onnx::areSame(Value a, Value b) {
  if (a == b)
    return true;
  std::optional<double> left = a ? Emitter::splatOf(a) : 0.0, right = b ? Emitter::splatOf(b) : 0.0;
  return left && left == right;
}
