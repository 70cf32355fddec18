//===- LaneBody.h - a linalg body over the lanes of vectors -----*- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_LANEBODY_H
#define HEDDLE_VECTORIZE_LANEBODY_H

#include "VectorBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace heddle {

/// What a scalar of an op's body is over the lanes of one vector.
struct LaneValue {
  enum Kind {
    Uniform, // the same scalar in every lane
    Iota,    // the scalar plus the number of the lane
    Vector
  };
  Kind kind = Uniform;
  mlir::Value value;

  /// By its type: a scalar is the same in every lane.
  static LaneValue of(mlir::Value value);
};
mlir::Value asVector(VectorBuilder &b, LaneValue lane, int64_t width);

/// Where a body is evaluated.
struct BodyPlace {
  llvm::SmallVector<mlir::OpFoldResult> at; // the index of each loop
  int lane = -1;                            // the loop along the lanes, or none
  int64_t width = 1, valid = 1;             // lanes, and how many of them hold elements
};

/// Elements of tensors, in memory; what holds some in registers overrides these.
class ElementSource {
public:
  explicit ElementSource(VectorBuilder &b) : b(b) {}
  virtual ~ElementSource() = default;
  virtual mlir::Value element(mlir::Value tensor, VectorBuilder::Indices at) { return b.element(tensor, at); }
  virtual mlir::Value vector(mlir::Value tensor, VectorBuilder::Indices at, int64_t width, int64_t valid) {
    return b.read(tensor, at, width, valid);
  }

protected:
  VectorBuilder &b;
};

/// Whether the result sums up what some of the op's loops go through: it is kept in registers meanwhile.
bool isAccumulated(mlir::linalg::LinalgOp op, unsigned output);

/// The op that joins a new term to an output's accumulator, if it is a known associative one: then the accumulator may
/// be split.
mlir::Operation *combinerOf(mlir::linalg::LinalgOp op, unsigned output);

/// The larger or the smaller one, as one instruction: a NaN on the left loses, as it does in maxnumf.
mlir::Value extremum(VectorBuilder &b, bool largest, mlir::Value left, mlir::Value right);

/// An op of the body that has no form on vectors, if there is one.
mlir::Operation *opWithoutForm(mlir::linalg::LinalgOp op);
/// Says at that op that it has none.
mlir::LogicalResult checkBody(mlir::linalg::LinalgOp op);

/// Evaluates the body of an op that checkBody accepts: on vectors what differs between lanes, on scalars what does not.
class LaneBody {
public:
  LaneBody(VectorBuilder &b, mlir::linalg::LinalgOp op, BodyPlace place, ElementSource &source)
      : b(b), op(op), place(std::move(place)), source(source) {}

  /// What an argument of the body, or a result of one of its ops, is.
  void set(mlir::Value value, LaneValue lane) { known[value] = lane; }
  LaneValue get(mlir::Value value) const;
  mlir::Value asVector(LaneValue lane) { return heddle::asVector(b, lane, place.width); }

  /// Some ops of the body.
  void evaluate(llvm::ArrayRef<mlir::Operation *> ops);
  /// The whole body; what it yields. A product that is only added becomes part of the sum.
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
  llvm::DenseMap<mlir::Value, LaneValue> known;
};

} // namespace heddle

#endif // HEDDLE_VECTORIZE_LANEBODY_H
