//===- Emit.h - emits operations on tensors ---------------------*- C++ -*-===//
//
// Emits the operations of imported modules at the end of a block, such as arith and math on tensors, named linalg
// operations, reshapes and explicit broadcasts. Arithmetic and movements of elements whose operands are all constants
// are folded to a constant unless it would be too large, so arithmetic on shapes leaves no operations.
//
// The functions do not check shapes and types and emit no errors; the caller checks its operands.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_ONNX_EMIT_H
#define HEDDLE_IMPORT_ONNX_EMIT_H

#include "module/Constants.h"
#include "sizes/SizedTensor.h"

#include "heddle/WeightStore.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle::onnx {

using heddle::Dim;
using heddle::Numbers;
using heddle::bytesOf, heddle::fromBytes, heddle::gatherStrided, heddle::integersOf;
using heddle::foldBudget, heddle::foldLimit, heddle::forEachIndex, heddle::stridesOf;
/// A list of extents, or of integers that become extents. Each of them is a number or an expression of sizes.
using Shape = heddle::SymbolicShape;

/// The shape, the element type and the rank of a tensor.
Shape shapeOf(mlir::Value value);
mlir::Type elementOf(mlir::Value value);
int64_t rankOf(mlir::Value value);
inline bool isFloat(mlir::Value value) { return llvm::isa<mlir::FloatType>(elementOf(value)); }

/// The shape to which numpy broadcasts both shapes; nothing if they cannot be broadcast together.
std::optional<Shape> broadcastShapes(llvm::ArrayRef<Dim> a, llvm::ArrayRef<Dim> b);

/// The tensor type of this shape, with placeholders for sizes.
mlir::RankedTensorType typeOf(llvm::ArrayRef<Dim> shape, mlir::Type element);

/// The number of elements; nothing if it exceeds `maxElements` at some size, if an extent is negative, or if there are
/// too many dimensions.
std::optional<Dim> countElements(llvm::ArrayRef<Dim> shape);
inline Dim countOf(mlir::Value value) { return product(shapeOf(value)); }
/// Whether one of the extents is 0 at all sizes.
bool isEmpty(llvm::ArrayRef<Dim> shape);
/// Whether a constant of this shape may be created: no extent depends on sizes, and there are at most `foldLimit`
/// elements.
bool canFold(llvm::ArrayRef<Dim> shape);

/// Emits operations on tensors into one block. The operands are values of ranked tensor type.
class Emitter : public mlir::ImplicitLocOpBuilder {
public:
  /// Emits at the end of `block`. Adds the size in bytes of every constant that is not a splat to `foldedBytes`.
  Emitter(mlir::Location loc, mlir::Block *block, const WeightStore &weights, int64_t &foldedBytes)
      : ImplicitLocOpBuilder(loc, mlir::OpBuilder::atBlockEnd(block)), weights(weights), foldedBytes(foldedBytes) {}

  //===--- Constants ---===//

  /// Returns the elements if `value` is a constant, else null.
  static mlir::DenseElementsAttr constantOf(mlir::Value value);
  /// Returns the elements if `value` is a constant, or a weight that is used as it is stored (without a recipe) and has
  /// at most `foldLimit` elements; else null.
  mlir::DenseElementsAttr storedElements(mlir::Value value) const;
  /// Returns the elements of a constant integer or bool tensor with a fixed shape and at most `foldLimit` elements;
  /// nothing for other values.
  static std::optional<Numbers> integersOf(mlir::Value value);
  /// Returns the elements of an integer tensor as numbers or expressions of sizes; nothing if they are unknown.
  static std::optional<Shape> dimsOf(mlir::Value value);
  /// If all elements of an integer tensor are equal, returns their value, which may be an expression of sizes;
  /// otherwise returns nothing.
  static std::optional<Dim> splatDimOf(mlir::Value value);
  /// If all elements of a constant float or integer tensor are equal, returns their value; otherwise returns nothing.
  static std::optional<double> splatOf(mlir::Value value);

  mlir::Value constant(mlir::DenseElementsAttr elements);
  /// A tensor whose elements are all `value`.
  mlir::Value splat(llvm::ArrayRef<Dim> shape, mlir::Type element, double value);
  mlir::Value splatLike(mlir::Value like, double value) { return splat(shapeOf(like), elementOf(like), value); }
  /// A tensor of floats or integers with the type of `like`, whose elements are all `value`. If `value` depends on
  /// sizes, the compiled code computes it in each call.
  mlir::Value splatSize(mlir::Value like, const Dim &value);
  /// A tensor of integers with the type of `like`, whose elements are all `value`. Unlike splatSize, this function does
  /// not convert `value` to a double, so all 64 bits are exact.
  mlir::Value splatDim(mlir::Value like, const Dim &value);
  /// An i64 tensor with these elements, in row-major order.
  mlir::Value integers(llvm::ArrayRef<Dim> shape, llvm::ArrayRef<Dim> values);
  mlir::Value integers(llvm::ArrayRef<Dim> shape, llvm::ArrayRef<int64_t> values) {
    return integers(shape, Shape(values.begin(), values.end()));
  }

  //===--- Movement of elements ---===//

  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<Dim> shape);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  /// Broadcasts `value` to a shape according to numpy's rules. If `fold` is true, the broadcast of a constant that is
  /// not a splat is folded to a constant.
  mlir::Value broadcast(mlir::Value value, llvm::ArrayRef<Dim> shape, bool fold = true);
  /// A slice with an offset, a number of elements and a stride for each dimension. Strides may be negative.
  mlir::Value slice(mlir::Value value, llvm::ArrayRef<Dim> offsets, llvm::ArrayRef<Dim> sizes,
                    llvm::ArrayRef<int64_t> strides);
  /// A slice of `count` indices from `offset` along `axis`.
  mlir::Value slice(mlir::Value value, int64_t axis, const Dim &offset, const Dim &count, int64_t stride = 1);
  mlir::Value concat(mlir::ValueRange values, int64_t axis);
  /// A linalg.generic over `shape`. `body` computes an element from the elements of `inputs`, which have this shape.
  mlir::Value generate(llvm::ArrayRef<Dim> shape, mlir::Type element, mlir::ValueRange inputs,
                       llvm::function_ref<mlir::Value(ImplicitLocOpBuilder &, mlir::ValueRange)> body);

  //===--- Arithmetic ---===//

  /// Emits an index with the value of `dim`. If `dim` is an expression of sizes, the compiled code computes the index
  /// in each call.
  mlir::Value index(const Dim &dim);

  /// Emits an elementwise operation, or the constant or the expressions of sizes that it folds to.
  template <typename Op, typename... Args>
  mlir::Value elementwise(Args &&...args) {
    return foldElements(createOrFold<Op>(std::forward<Args>(args)...));
  }

  /// Broadcasts both operands to their common shape according to numpy's rules.
  std::pair<mlir::Value, mlir::Value> together(mlir::Value a, mlir::Value b);

  /// Broadcasts both operands and emits `FloatOp` for float elements and `IntOp` for integer elements.
  template <typename FloatOp, typename IntOp>
  mlir::Value binary(mlir::Value a, mlir::Value b) {
    std::tie(a, b) = together(a, b);
    return isFloat(a) ? elementwise<FloatOp>(a, b) : elementwise<IntOp>(a, b);
  }
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, mlir::Value b);
  mlir::Value maximum(mlir::Value a, mlir::Value b);
  mlir::Value minimum(mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  /// Emits ONNX's Cast to `element`, for all element types that are supported.
  mlir::Value castTo(mlir::Value value, mlir::Type element);

  enum class Reduction { Sum, Product, Max, Min };
  /// Reduces over `axes`, which are sorted. If `keep` is true, the reduced dimensions remain with extent 1.
  mlir::Value reduce(Reduction kind, mlir::Value value, llvm::ArrayRef<int64_t> axes, bool keep);
  mlir::Value softmax(mlir::Value value, int64_t axis);
  /// The product of two matrices, or of two batches [n, m, k] x [n, k, p].
  mlir::Value matmul(mlir::Value a, mlir::Value b);

private:
  // EmitByElement.cpp: movements of elements that MLIR's operations on whole tensors cannot express.
  mlir::Value reshapeByElement(mlir::Value value, llvm::ArrayRef<Dim> dims);
  mlir::Value sliceByElement(mlir::Value value, llvm::ArrayRef<Dim> offsets, llvm::ArrayRef<Dim> sizes,
                             llvm::ArrayRef<int64_t> steps);
  mlir::Value concatByElement(mlir::ValueRange values, int64_t axis, llvm::ArrayRef<Dim> shape);
  // Folds the operation that computes `value`, if all its operands are constants or expressions of sizes.
  mlir::Value foldElements(mlir::Value value);
  mlir::Value foldSizes(mlir::Value value);
  mlir::Value empty(llvm::ArrayRef<Dim> shape, mlir::Type element);
  // Reduces integer elements; the reduced dimensions have extent 1. Returns null for elements of other types, and if
  // there are more than `foldLimit` elements.
  mlir::DenseElementsAttr foldReduce(Reduction kind, mlir::DenseElementsAttr elements,
                                     llvm::ArrayRef<int64_t> axes);

  const WeightStore &weights;
  int64_t &foldedBytes;
};

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_EMIT_H
