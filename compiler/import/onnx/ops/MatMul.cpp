//===- MatMul.cpp - MatMul and Gemm ---------------------------------------===//

#include "MatMul.h"
#include "OpTable.h"

using namespace mlir;
using namespace heddle::onnx;

/// If the right operand is a single matrix, all rows of the left operand are multiplied by it in one product.
FailureOr<Value> heddle::onnx::matmul(NodeContext &n, Value a, Value b) {
  if (failed(n.requireSameElements({a, b})))
    return failure();
  if (elementOf(a).isInteger(1))
    return n.error() << "arithmetic on bool elements is not supported";
  if (rankOf(a) == 0 || rankOf(b) == 0)
    return n.error() << "operands must have dimensions, found " << typeText(a) << " and " << typeText(b);
  if (auto rounded = n.model.small.floats.find(a); rounded != n.model.small.floats.end())
    if (Value layer = roundedLinear(n, SmallIntegers::Rounded(rounded->second), b))
      return layer;
  bool rowVector = rankOf(a) == 1, columnVector = rankOf(b) == 1;
  Shape left(shapeOf(a)), right(shapeOf(b));
  if (rowVector)
    left.insert(left.begin(), 1);
  if (columnVector)
    right.push_back(1);
  Dim rows = left[left.size() - 2], inner = left.back(), columns = right.back();
  std::optional<Shape> batch = broadcastShapes(ArrayRef(left).drop_back(2), ArrayRef(right).drop_back(2));
  if (inner != right[right.size() - 2] || !batch)
    return n.error() << "shapes do not fit: " << typeText(a) << " times " << typeText(b);
  Shape result(*batch);
  if (!rowVector)
    result.push_back(rows);
  if (!columnVector)
    result.push_back(columns);
  if (failed(n.checkShape(*batch)) || failed(n.checkShape(result)))
    return failure();
  Dim count = *countElements(*batch);

  // Returns the dimensions `lead` followed by the last two dimensions of `matrix`.
  auto whole = [](ArrayRef<Dim> lead, ArrayRef<Dim> matrix) {
    Shape shape(lead);
    llvm::append_range(shape, matrix.take_back(2));
    return shape;
  };
  if (failed(n.checkShape(whole(*batch, left))))
    return failure();
  if (right.size() == 2 ||
      llvm::all_of(ArrayRef(right).drop_back(2), [](const Dim &extent) { return extent.number() == 1; })) {
    a = n.b.reshape(n.b.broadcast(n.b.reshape(a, left), whole(*batch, left)), {count * rows, inner});
    return n.b.reshape(n.b.matmul(a, n.b.reshape(b, {inner, columns})), result);
  }
  if (failed(n.checkShape(whole(*batch, right))))
    return failure();
  a = n.b.reshape(n.b.broadcast(n.b.reshape(a, left), whole(*batch, left)), {count, rows, inner});
  b = n.b.reshape(n.b.broadcast(n.b.reshape(b, right), whole(*batch, right)), {count, inner, columns});
  return n.b.reshape(n.b.matmul(a, b), result);
}

namespace {

LogicalResult convertMatMul(NodeContext &n) {
  FailureOr<Value> result = matmul(n, n.in(0), n.in(1));
  return failed(result) ? failure() : n.yield(*result);
}

/// Converts Gemm: alpha * a' * b' + beta * c, where a' and b' are a and b, transposed if the attributes transA and
/// transB are set.
LogicalResult convertGemm(NodeContext &n) {
  Value a = n.in(0), b = n.in(1), c = n.in(2);
  double alpha = n.floatAttr("alpha", 1), beta = n.floatAttr("beta", 1);
  bool transposeA = n.intAttr("transA", 0), transposeB = n.intAttr("transB", 0);
  if (failed(n.requireSameElements(c ? ArrayRef<Value>{a, b, c} : ArrayRef<Value>{a, b})) || failed(n.requireFloat(a)))
    return failure();
  if (rankOf(a) != 2 || rankOf(b) != 2)
    return n.error() << "operands must be matrices, found " << typeText(a) << " and " << typeText(b);
  if (transposeA)
    a = n.b.transpose(a, {1, 0});
  if (transposeB)
    b = n.b.transpose(b, {1, 0});
  if (shapeOf(a)[1] != shapeOf(b)[0])
    return n.error() << "shapes do not fit: " << typeText(a) << " times " << typeText(b);
  Shape shape{shapeOf(a)[0], shapeOf(b)[1]};
  if (failed(n.checkShape(shape)))
    return failure();
  auto rounded = n.model.small.floats.find(a);
  Value product = rounded == n.model.small.floats.end()
                      ? Value()
                      : roundedLinear(n, SmallIntegers::Rounded(rounded->second), b);
  if (!product)
    product = n.b.matmul(a, b);
  if (alpha != 1)
    product = n.b.mul(product, n.b.splatLike(product, alpha));
  if (!c || beta == 0)
    return n.yield(product);
  if (broadcastShapes(shape, shapeOf(c)) != shape)
    return n.error() << "input 2, " << typeText(c) << ", does not broadcast to " << shapeText(shape);
  if (beta != 1)
    c = n.b.mul(c, n.b.splatLike(c, beta));
  return n.yield(n.b.add(product, c));
}

} // namespace

void heddle::onnx::addMatMulOps(OpTable &table) {
  table["MatMul"] = {convertMatMul, 2, 2};
  table["Gemm"] = {convertGemm, 2, 3};
}
