//===- LaneBody.h - evaluates a linalg body on vectors ----------*- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_LANEBODY_H
#define HEDDLE_VECTORIZE_LANEBODY_H

#include "VectorBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace heddle {

/// The vectorised form of one scalar value of an op's body.
struct LaneValue {
  enum Kind {
    Uniform, // the same scalar in every lane
    Iota,    // lane i holds the scalar plus i
    Vector   // the value is a vector
  };
  Kind kind = Uniform;
  mlir::Value value; // the scalar of a Uniform or Iota value, or the vector

  /// Wraps a value according to its type: a vector gets the kind Vector, and a scalar the kind Uniform.
  static LaneValue of(mlir::Value value);
};
/// Emits the value as a vector of `width` lanes.
mlir::Value asVector(VectorBuilder &b, LaneValue lane, int64_t width);

/// The point of the iteration space at which a body is evaluated.
struct BodyPlace {
  llvm::SmallVector<mlir::OpFoldResult> at; // the index of each loop
  int lane = -1;                            // the loop along the lanes, or -1: none
  int64_t width = 1, valid = 1;             // the number of lanes, and the number of lanes that contain elements
};

/// Reads elements of tensors from memory. Subclasses return elements that are in registers instead.
class ElementSource {
public:
  explicit ElementSource(VectorBuilder &b) : b(b) {}
  virtual ~ElementSource() = default;
  /// Returns the element at the indices `at`.
  virtual mlir::Value element(mlir::Value tensor, VectorBuilder::Indices at) { return b.element(tensor, at); }
  /// Returns a vector of `width` lanes, of which the first `valid` hold the adjacent elements from `at` on.
  virtual mlir::Value vector(mlir::Value tensor, VectorBuilder::Indices at, int64_t width, int64_t valid) {
    return b.read(tensor, at, width, valid);
  }

protected:
  VectorBuilder &b;
};

/// Returns whether some reduction loop of the op does not index the output. The output is then an accumulator, which
/// stays in registers during that loop.
bool isAccumulated(mlir::linalg::LinalgOp op, unsigned output);

/// Returns the op that joins a new term with an output's accumulator, if this op is a known associative operation with
/// a neutral element, so the accumulator may be split into several accumulators. Returns null otherwise.
mlir::Operation *combinerOf(mlir::linalg::LinalgOp op, unsigned output);

/// Returns whether an output is a maximum or minimum by arith.maxnumf or arith.minnumf.
bool isExtremum(mlir::linalg::LinalgOp op, unsigned output);

/// Returns whether `value`, a scalar or a vector, is a constant float other than NaN, or an element of a constant vector
/// whose elements are equal.
bool isConstantNumber(mlir::Value value);

/// Returns whether an output is a maximum or minimum that starts from a linalg.fill with a constant other than NaN. No
/// partial result is NaN then, so `extremum` may combine a term with one.
bool isExtremumOfNumber(mlir::linalg::LinalgOp op, unsigned output);

/// Emits the larger (or smaller) value as a compare and select, which is one instruction on x86. If one of the values
/// is NaN, the result is `right`. A NaN in `left` is thus ignored, as by arith.maxnumf, but a NaN in `right` is not.
mlir::Value extremum(VectorBuilder &b, bool largest, mlir::Value left, mlir::Value right);

/// Returns an op of the body that LaneBody cannot evaluate on vectors, or null.
mlir::Operation *opWithoutForm(mlir::linalg::LinalgOp op);
/// Emits an error at the op that opWithoutForm() finds, and fails, if there is one.
mlir::LogicalResult checkBody(mlir::linalg::LinalgOp op);

/// Evaluates the body of an op that checkBody() accepts. Values that differ between lanes are computed as vectors, the
/// others as scalars.
class LaneBody {
public:
  LaneBody(VectorBuilder &b, mlir::linalg::LinalgOp op, BodyPlace place, ElementSource &source)
      : b(b), op(op), place(std::move(place)), source(source) {}

  /// Sets the vectorised form of an argument of the body or of a result of one of its ops.
  void set(mlir::Value value, LaneValue lane) { known[value] = lane; }
  /// States that an output is a maximum or minimum whose partial results are not NaN.
  void setNumber(unsigned output) { numbers.insert(output); }
  /// Returns the vectorised form of a value; a value from outside of the body is Uniform.
  LaneValue get(mlir::Value value) const;
  mlir::Value asVector(LaneValue lane) { return heddle::asVector(b, lane, place.width); }

  /// Evaluates some ops of the body, in this order.
  void evaluate(llvm::ArrayRef<mlir::Operation *> ops);
  /// Evaluates the whole body and returns the yielded values. A product whose only use is an addition becomes part of a
  /// fused multiply-add (one product for each addition) unless all operands are Uniform.
  llvm::SmallVector<LaneValue> evaluate();

private:
  LaneValue evaluate(mlir::Operation &inner);
  LaneValue fusedMultiplyAdd(mlir::arith::AddFOp add);
  LaneValue lookup(mlir::Operation &extract);
  LaneValue affine(mlir::AffineExpr expr, llvm::ArrayRef<LaneValue> operands, unsigned dims);
  mlir::VectorType vectorOf(mlir::Type element) { return mlir::VectorType::get({place.width}, element); }

  VectorBuilder &b;
  mlir::linalg::LinalgOp op;
  BodyPlace place;
  ElementSource &source;
  llvm::DenseMap<mlir::Value, LaneValue> known; // the vectorised forms of the body's values so far
  llvm::SmallDenseSet<unsigned> numbers;        // see setNumber()
};

} // namespace heddle

#endif // HEDDLE_VECTORIZE_LANEBODY_H
