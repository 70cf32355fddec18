//===- PastValues.h - what depends on a past, by sequence -------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_STATES_PASTVALUES_H
#define HEDDLE_IMPORT_STATES_PASTVALUES_H

#include "Sequences.h"

#include "sizes/Dim.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/DenseSet.h"

namespace heddle {

/// The past of one length P, a number in types, and what takes its place: a number of positions for each sequence.
struct PastSizes {
  unsigned past;               // number of the size P in the scope
  llvm::StringRef name;        // of P
  Dim rows, capacity;          // new positions of a call; positions of a state
  mlir::BlockArgument lengths; // [batch], how many positions each sequence has before the call

  bool has(const Dim &dim) const { return llvm::is_contained(dim.asExpression().sizes(), past); }
  bool has(mlir::Type type) const;
  /// The extent that is `number` for a past of P: P, and P and the new rows, become the capacity. None where another
  /// function of P is meant.
  std::optional<int64_t> extent(int64_t number) const;
  std::optional<mlir::RankedTensorType> type(mlir::Type type) const;
};

/// Makes the tensors that are for P = past[b] in sequence b what others were for one P.
///
/// A tensor that only depends on P and on what no sequence has any part in, positions or a mask, has no dimension of
/// sequences. What is made of it is either [batch] + its shape, or, where a dimension of it is of sequences since what
/// it is combined with is, of its own shape: then entry b of that dimension is the one for past[b]. Such tensors are
/// made when somebody needs them, in the form that is needed.
class PastValues {
public:
  PastValues(mlir::func::FuncOp main, const PastSizes &sizes, const Sequences &sequences);

  /// What an operation reads, or its types, depend on P.
  bool isConcerned(mlir::Operation *op) const;
  /// Takes notice of an operation that is concerned and has no part in any sequence.
  void postpone(mlir::Operation *op);
  bool isPostponed(mlir::Value value) const { return postponed.count(value); }

  /// What takes the place of a tensor that has sequences, or is for the only one.
  void replace(mlir::Value value, mlir::Value by) { made[{value, asItWas}] = by; }
  /// That, or a tensor that does not depend on P as it is; none of one that was postponed.
  std::optional<mlir::Value> find(mlir::Value value) const;

  /// The same operation for each sequence's own past, inserted before `place`; null, with an error, where it is none
  /// that is known.
  mlir::Value rebuild(mlir::Operation *op, mlir::Operation *place);
  /// A postponed tensor as [batch] + its shape, or with sequences in dimension `dim`, which has `batch` entries.
  mlir::Value prepend(mlir::Value value, mlir::Operation *place) { return make(value, prepended, place); }
  mlir::Value align(mlir::Value value, unsigned dim, mlir::Operation *place) { return make(value, int(dim), place); }

  mlir::InFlightDiagnostic refuse(mlir::Operation *op) const;

private:
  /// The dimension of sequences in what is made, or one of these.
  using Form = int;
  static constexpr Form prepended = -1, asItWas = -2; // the latter with one sequence, or where `replace` says it
  using Builder = mlir::ImplicitLocOpBuilder;
  class Loops;

  mlir::Value make(mlir::Value value, Form form, mlir::Operation *place);
  mlir::Value build(mlir::Operation *op, Form form, Builder &b);
  mlir::Value buildLoops(mlir::linalg::LinalgOp op, Form form, Builder &b);
  std::optional<mlir::Value> buildBroadcast(mlir::linalg::BroadcastOp op, Form form, mlir::RankedTensorType type,
                                            Builder &b);
  mlir::Value buildElementwise(mlir::Operation *op, Form form, Builder &b);
  mlir::Value buildConstant(mlir::arith::ConstantOp op, Form form, Builder &b);
  mlir::Value buildReshape(mlir::Operation *op, Form form, Builder &b);
  mlir::Value buildSlice(mlir::tensor::ExtractSliceOp op, Form form, Builder &b);
  mlir::Value buildLookup(mlir::tensor::ExtractSliceOp op, Form form, Builder &b);
  mlir::Value buildConcat(mlir::tensor::ConcatOp op, Form form, Builder &b);
  mlir::Value diagonal(mlir::Value value, Form form, Builder &b);
  mlir::Value broadcastTo(mlir::Value value, mlir::RankedTensorType type, Form form, Builder &b);

  /// An operand of what is made in a form: in the same one, or null with an error.
  mlir::Value operand(mlir::Operation *op, mlir::Value value, Form form, Builder &b);
  /// The result's type in a form; null, with an error.
  mlir::RankedTensorType typeOf(mlir::Operation *op, Form form) const;
  /// The input that has past[b] for the sequence that `loop` counts, and how loops read it.
  std::pair<mlir::Value, mlir::AffineMap> lengthsFor(unsigned loops, mlir::AffineExpr loop, Form form, Builder &b);
  mlir::Value cloneScalar(mlir::Value scalar, mlir::Value past, mlir::OpBuilder &b) const;
  bool dependsOnPast(mlir::Value scalar) const { return scalars.count(scalar); }

  mlir::Location loc; // of the model
  const PastSizes &sizes;
  const Sequences &sequences;
  int64_t batch;
  llvm::DenseSet<mlir::Value> scalars, postponed;
  llvm::DenseMap<std::pair<mlir::Value, Form>, mlir::Value> made;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_STATES_PASTVALUES_H
