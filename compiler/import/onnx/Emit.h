//===- Emit.h - tensors of the import form ----------------------*- C++ -*-===//
//
// Writes the import form at the end of a block: arith and math on tensors, named
// linalg, reshapes, explicit broadcasts. Whatever has only constants as operands
// becomes a constant, so that shape arithmetic leaves nothing behind.
//
// Shapes and types are the caller's to check; nothing here reports errors.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_ONNX_EMIT_H
#define HEDDLE_IMPORT_ONNX_EMIT_H

#include "Constants.h"

#include "sizes/SizedTensor.h"

#include "heddle/WeightStore.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle::onnx {

/// Extents, and lists of integers that become such.
using heddle::Dim;
using Shape = heddle::Dims;

Shape shapeOf(mlir::Value value);
mlir::Type elementOf(mlir::Value value);
int64_t rankOf(mlir::Value value);
inline bool isFloat(mlir::Value value) { return llvm::isa<mlir::FloatType>(elementOf(value)); }

/// The shape of numpy's broadcasting, or none.
std::optional<Shape> broadcastShapes(llvm::ArrayRef<Dim> a, llvm::ArrayRef<Dim> b);

/// The type in which numbers stand for sizes.
mlir::RankedTensorType typeOf(llvm::ArrayRef<Dim> shape, mlir::Type element);

/// The number of elements, for all sizes at most `maxElements`; none for more, a negative extent, or too many
/// dimensions.
std::optional<Dim> countElements(llvm::ArrayRef<Dim> shape);
inline Dim countOf(mlir::Value value) { return product(shapeOf(value)); }
/// Whether an extent is 0 for all sizes.
bool isEmpty(llvm::ArrayRef<Dim> shape);
/// Whether all elements are known, and not more than `foldLimit`: then they can be written out.
bool canFold(llvm::ArrayRef<Dim> shape);

class Emitter : public mlir::ImplicitLocOpBuilder {
public:
  /// Adds to `foldedBytes` the size of every constant that is written out.
  Emitter(mlir::Location loc, mlir::Block *block, const WeightStore &weights, int64_t &foldedBytes)
      : ImplicitLocOpBuilder(loc, mlir::OpBuilder::atBlockEnd(block)), weights(weights), foldedBytes(foldedBytes) {}

  //===--- Constants ---===//

  /// The elements where `value` is a constant, else null.
  static mlir::DenseElementsAttr constantOf(mlir::Value value);
  /// Likewise, and the elements of a stored weight that is small enough to compute with.
  mlir::DenseElementsAttr storedElements(mlir::Value value) const;
  static std::optional<Numbers> integersOf(mlir::Value value);
  /// The integers, which sizes may be part of, of one that is known so.
  static std::optional<Shape> dimsOf(mlir::Value value);
  /// What all elements of an integer tensor are, where they are equal.
  static std::optional<Dim> splatDimOf(mlir::Value value);
  /// The value of every element of a constant float or integer tensor, where they are equal.
  static std::optional<double> splatOf(mlir::Value value);

  mlir::Value constant(mlir::DenseElementsAttr elements);
  /// A tensor whose elements all are `value`.
  mlir::Value splat(llvm::ArrayRef<Dim> shape, mlir::Type element, double value);
  mlir::Value splatLike(mlir::Value like, double value) { return splat(shapeOf(like), elementOf(like), value); }
  /// A tensor like this one whose elements all are the integer, computed by each call where it is a size.
  mlir::Value splatSize(mlir::Value like, const Dim &value);
  /// A tensor like an integer one whose elements all are `value`.
  mlir::Value splatDim(mlir::Value like, const Dim &value);
  mlir::Value integers(llvm::ArrayRef<Dim> shape, llvm::ArrayRef<Dim> values);
  mlir::Value integers(llvm::ArrayRef<Dim> shape, llvm::ArrayRef<int64_t> values) {
    return integers(shape, Shape(values.begin(), values.end()));
  }

  //===--- Elements in other places ---===//

  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<Dim> shape);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  /// To a shape that `value` broadcasts to by numpy's rules. A constant that is not
  /// a splat is written out if `fold`.
  mlir::Value broadcast(mlir::Value value, llvm::ArrayRef<Dim> shape, bool fold = true);
  mlir::Value slice(mlir::Value value, llvm::ArrayRef<Dim> offsets, llvm::ArrayRef<Dim> sizes,
                    llvm::ArrayRef<int64_t> strides);
  /// `count` indices from `offset` along `axis`.
  mlir::Value slice(mlir::Value value, int64_t axis, const Dim &offset, const Dim &count, int64_t stride = 1);
  mlir::Value concat(mlir::ValueRange values, int64_t axis);
  /// Elements of a linalg.generic over `shape`; `body` returns the element from the
  /// elements of `inputs` (each of that shape).
  mlir::Value generate(llvm::ArrayRef<Dim> shape, mlir::Type element, mlir::ValueRange inputs,
                       llvm::function_ref<mlir::Value(ImplicitLocOpBuilder &, mlir::ValueRange)> body);

  //===--- Arithmetic ---===//

  /// An integer of sizes as an index, computed by each call.
  mlir::Value index(const Dim &dim);

  /// An operation that works element by element, or the constant, or expressions of sizes, that it comes to.
  template <typename Op, typename... Args>
  mlir::Value elementwise(Args &&...args) {
    return foldElements(createOrFold<Op>(std::forward<Args>(args)...));
  }

  /// Operands of one shape: brings both to their broadcast shape.
  std::pair<mlir::Value, mlir::Value> together(mlir::Value a, mlir::Value b);

  template <typename FloatOp, typename IntOp>
  mlir::Value binary(mlir::Value a, mlir::Value b) {
    std::tie(a, b) = together(a, b);
    return isFloat(a) ? elementwise<FloatOp>(a, b) : elementwise<IntOp>(a, b);
  }
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value divFloat(mlir::Value a, mlir::Value b);
  mlir::Value maximum(mlir::Value a, mlir::Value b);
  mlir::Value minimum(mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  /// ONNX's Cast between the element types that are imported.
  mlir::Value castTo(mlir::Value value, mlir::Type element);

  enum class Reduction { Sum, Product, Max, Min };
  /// Over `axes` (sorted); the reduced dimensions keep extent 1 if `keep`.
  mlir::Value reduce(Reduction kind, mlir::Value value, llvm::ArrayRef<int64_t> axes, bool keep);
  mlir::Value softmax(mlir::Value value, int64_t axis);
  /// Of two matrices, or of two batches [n, m, k] x [n, k, p].
  mlir::Value matmul(mlir::Value a, mlir::Value b);

private:
  mlir::Value reshapeByElement(mlir::Value value, llvm::ArrayRef<Dim> dims);
  mlir::Value sliceByElement(mlir::Value value, llvm::ArrayRef<Dim> offsets, llvm::ArrayRef<Dim> sizes,
                             llvm::ArrayRef<int64_t> steps);
  mlir::Value concatByElement(mlir::ValueRange values, int64_t axis, llvm::ArrayRef<Dim> shape);
  mlir::Value foldElements(mlir::Value value);
  mlir::Value foldSizes(mlir::Value value);
  mlir::Value empty(llvm::ArrayRef<Dim> shape, mlir::Type element);
  mlir::DenseElementsAttr foldReduce(Reduction kind, mlir::DenseElementsAttr elements,
                                     llvm::ArrayRef<int64_t> axes);

  const WeightStore &weights;
  int64_t &foldedBytes;
};

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_EMIT_H
