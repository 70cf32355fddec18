//===- MatMulNBits.cpp - weights with few bits per element ----------------===//
//
// The rows of the input remain floats, even if accuracy_level allows integers. The weight is [N, blocks, bytes], with 4
// or 8 bits per element. Each block of a column has a scale and a zero point. A zero point usually has as many bits as
// an element; rarely, it is a float of the scales' type.
//
//===----------------------------------------------------------------------===//

#include "../Gather.h"
#include "../MatMul.h"
#include "../Quantization.h"
#include "OpTable.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// Returns the stored weight that contains the bytes of `integers`, a tensor of 8-bit integers. Returns null if
/// `integers` is not stored, or if the recipe of the weight (the steps that are applied to the stored tensor) contains
/// steps other than the addition of a number.
static WeightOp bytesOf(Value integers) {
  auto op = integers.getDefiningOp<DequantizeOp>();
  auto weight = op ? op.getInput().getDefiningOp<WeightOp>() : WeightOp();
  auto isAdd = [](Attribute step) { return isa<AddStepAttr>(step); };
  return weight && llvm::all_of(weight.getRecipe(), isAdd) ? weight : WeightOp();
}

namespace {
/// A MatMulNBits node: its attributes and operands, and functions that check and convert them.
struct BlockedProduct {
  NodeContext &n;
  Emitter &b = n.b;
  Value x = n.in(0), scales = n.in(2), zeros = n.in(3), groupOf = n.in(4), bias = n.in(5);
  int64_t k = n.intAttr("K", 0), columns = n.intAttr("N", 0), bits = n.intAttr("bits", 4),
          block = n.intAttr("block_size", 0);
  int64_t blocks = 0, blockBytes = 0; // the number of blocks in a column, and the size of a block in bytes
  /// Whether the zero points are floats instead of integers of `bits` bits.
  bool hasFloatZeros = zeros && !n.smallType(3);
  /// If all zero points are in one byte, this byte.
  std::optional<double> onlyByte = zeros && count(zeros) == 1 ? Emitter::splatOf(zeros) : std::nullopt;

  /// The number of elements of a tensor.
  static int64_t count(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }
  /// The number that is subtracted from an element when it is stored as i8. It is the default zero point.
  int64_t middle() const { return int64_t(1) << (bits - 1); }

  LogicalResult checkAttributes();
  LogicalResult checkWeights();
  LogicalResult checkZeros();
  FailureOr<SmallVector<int64_t>> readOrder();
  Value unpack(WeightOp stored, int64_t rowBytes, int64_t rows, ArrayRef<int64_t> order);
  Value floatMinima();
  Value offsets();
  /// Returns the weight as a heddle.dequantize [K, N] of f32, with its rows in this order.
  FailureOr<Value> weight(ArrayRef<int64_t> order);
};
} // namespace

LogicalResult BlockedProduct::checkAttributes() {
  n.intAttr("accuracy_level", 0);
  n.intAttr("weight_prepacked", 0);
  if (bits != 4 && bits != 8)
    return n.error() << "weights of " << bits << " bits are not supported, only of 4 and 8";
  if (k < 1 || columns < 1 || k > maxElements || columns > maxElements || block < 16 || block > (1 << 16) ||
      !llvm::isPowerOf2_64(block))
    return n.error() << "expected positive K and N, and a block_size that is a power of 2 from 16 to 65536, found " << k
                     << ", " << columns << " and " << block;
  blocks = llvm::divideCeilSigned(k, block);
  blockBytes = block * bits / 8;
  return success();
}

LogicalResult BlockedProduct::checkWeights() {
  if (failed(n.requireFloat(x)) || failed(requireSmall(n, 1)))
    return failure();
  if (rankOf(x) == 0 || shapeOf(x).back() != Dim(k))
    return n.error() << "the last dimension of " << typeText(x) << " is not K = " << k;
  if (!bytesOf(n.in(1)) || !isStored(scales))
    return n.error() << "weights and scales must be tensors that the model file stores";
  if (shapeOf(n.in(1)) != Shape{columns, blocks, blockBytes})
    return n.error() << "weights of " << shapeText(shapeOf(n.in(1))) << ", expected "
                     << shapeText(ArrayRef<int64_t>{columns, blocks, blockBytes});
  if (failed(n.requireFloat(scales)) || count(scales) != columns * blocks)
    return n.error() << "scales of " << typeText(scales) << ", expected " << columns * blocks << " floats";
  if (bias && (shapeOf(bias) != Shape{columns} || failed(n.requireSameElements({x, bias}))))
    return n.error() << "a bias of " << typeText(bias) << " does not fit " << columns << " columns";
  return success();
}

LogicalResult BlockedProduct::checkZeros() {
  if (!zeros)
    return success();
  if (hasFloatZeros) {
    if (elementOf(zeros) != elementOf(scales) || count(zeros) != columns * blocks)
      return n.error() << "zero points of " << typeText(zeros) << ", expected bytes, or " << columns * blocks
                       << " numbers of the scales' type";
    if (!b.storedElements(zeros) || !b.storedElements(scales))
      return n.error() << "zero points in floats must be tensors that the model file stores, of at most " << foldLimit
                       << " numbers";
    return success();
  }
  if (!bytesOf(zeros) && !onlyByte)
    return n.error() << "zero points must be tensors that the model file stores";
  int64_t bytes = columns * llvm::divideCeilSigned(blocks * bits, 8);
  if (count(zeros) != bytes)
    return n.error() << "zero points of " << shapeText(shapeOf(zeros)) << ", expected " << bytes << " bytes";
  return success();
}

/// Reads the operand g_idx, which contains the block of each row of the weight. Returns an order of the weight's rows
/// in which the rows of each block are contiguous, or an empty list if they already are.
FailureOr<SmallVector<int64_t>> BlockedProduct::readOrder() {
  if (!groupOf)
    return SmallVector<int64_t>();
  DenseElementsAttr elements = b.storedElements(groupOf);
  if (!elements || !elements.getElementType().isInteger(32) || elements.getType().getRank() != 1 ||
      (elements.getNumElements() != k && elements.getNumElements() != blocks * block))
    return n.error() << "expected a g_idx that the model file stores, with " << k << " integers, found "
                     << typeText(groupOf);
  SmallVector<int64_t> groups, order = llvm::to_vector(llvm::seq<int64_t>(0, k));
  for (const APInt &group : elements.getValues<APInt>())
    groups.push_back(group.getSExtValue());
  llvm::stable_sort(order, [&](int64_t left, int64_t right) { return groups[left] < groups[right]; });
  for (auto [i, row] : llvm::enumerate(order))
    if (groups[row] != int64_t(i) / block)
      return n.error() << "expected a g_idx that assigns " << block << " inputs to each of " << blocks
                       << " blocks, except that the last block may have fewer";
  return llvm::is_sorted(order) ? SmallVector<int64_t>() : order;
}

/// Unpacks a stored matrix [N, rows], whose N rows occupy `rowBytes` bytes each, into an i8 tensor [rows, N], and
/// subtracts 2^(bits - 1) from each element. If `order` is not empty, it is the order of the rows of the result.
Value BlockedProduct::unpack(WeightOp stored, int64_t rowBytes, int64_t rows, ArrayRef<int64_t> order) {
  MLIRContext *context = b.getContext();
  SmallVector<Attribute> steps = {ReshapeStepAttr::get(context, {columns, rowBytes})};
  if (bits == 4)
    steps.push_back(NibblesStepAttr::get(context));
  if (int64_t width = rowBytes * 8 / bits; width != rows)
    steps.push_back(SliceStepAttr::get(context, {0, 0}, {columns, rows}));
  steps.push_back(AddStepAttr::get(context, -middle()));
  steps.push_back(TransposeStepAttr::get(context, {1, 0}));
  if (!order.empty())
    steps.push_back(TakeStepAttr::get(context, order));
  return WeightOp::create(b, RankedTensorType::get({rows, columns}, b.getI8Type()), stored.getNameAttr(),
                          b.getArrayAttr(steps));
}

/// With zero points that are floats, (q - zero) * scale = (q - middle) * scale + (middle - zero) * scale. Returns the
/// second term, [blocks, N].
Value BlockedProduct::floatMinima() {
  auto numbers = [](DenseElementsAttr elements) {
    SmallVector<float> floats;
    for (APFloat number : elements.getValues<APFloat>()) {
      bool lossy;
      number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lossy);
      floats.push_back(number.convertToFloat());
    }
    return floats;
  };
  SmallVector<float> of = numbers(b.storedElements(zeros)), steps = numbers(b.storedElements(scales)), minima;
  for (int64_t i = 0; i < blocks; ++i)
    for (int64_t j = 0; j < columns; ++j)
      minima.push_back((float(middle()) - of[j * blocks + i]) * steps[j * blocks + i]);
  auto type = RankedTensorType::get({blocks, columns}, b.getF32Type());
  return b.constant(DenseElementsAttr::get(type, ArrayRef(minima)));
}

/// Returns zero points that are stored with `bits` bits as an i8 tensor [blocks, N], minus 2^(bits - 1). If all zero
/// points are in a single byte, the tensor is a constant and not a weight.
Value BlockedProduct::offsets() {
  if (!onlyByte)
    return unpack(bytesOf(zeros), llvm::divideCeilSigned(blocks * bits, 8), blocks, {});
  SmallVector<int8_t> numbers;
  for (int64_t i = 0; i < blocks; ++i)
    numbers.push_back(int8_t((int64_t(*onlyByte) >> (i * bits) & (2 * middle() - 1)) - middle()));
  return b.constant(DenseElementsAttr::get(RankedTensorType::get({blocks, columns}, b.getI8Type()), ArrayRef(numbers)));
}

FailureOr<Value> BlockedProduct::weight(ArrayRef<int64_t> order) {
  Value integers = unpack(bytesOf(n.in(1)), blocks * blockBytes, k, order), minima;
  Value steps = transposeStored(b, reshapeStored(b, floats(b, scales), {columns, blocks}), {1, 0});
  Value zeroPoints;
  if (hasFloatZeros)
    minima = floatMinima();
  else if (zeros)
    zeroPoints = offsets();
  auto type = RankedTensorType::get({k, columns}, b.getF32Type());
  return DequantizeOp::create(b, type, integers, steps, zeroPoints, minima, Value(), ArrayRef<int64_t>{block, 1},
                              ArrayRef<int64_t>())
      .getResult();
}

static LogicalResult convertMatMulNBits(NodeContext &n) {
  BlockedProduct node{n};
  if (failed(node.checkAttributes()) || failed(node.checkWeights()) || failed(node.checkZeros()))
    return failure();
  FailureOr<SmallVector<int64_t>> order = node.readOrder();
  if (failed(order))
    return failure();
  Emitter &b = n.b;
  FailureOr<Value> rows = b.castTo(node.x, b.getF32Type());
  if (!order->empty())
    rows = gather(n, *rows, b.integers({node.k}, ArrayRef<int64_t>(*order)), rankOf(node.x) - 1);
  FailureOr<Value> weight = failed(rows) ? rows : node.weight(*order);
  FailureOr<Value> product = failed(weight) ? weight : matmul(n, *rows, *weight);
  if (failed(product))
    return failure();
  Value result = b.castTo(*product, elementOf(node.x));
  return n.yield(node.bias ? b.add(result, node.bias) : result);
}

void heddle::onnx::addOnnxRuntimeMatMulNBits(OpTable &table) {
  table["MatMulNBits"] = {convertMatMulNBits, 3, 6, 1, INT64_MAX, SmallUse::Supported};
}
