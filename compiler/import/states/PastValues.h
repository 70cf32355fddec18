//===- PastValues.h - values that depend on each past -----------*- C++ -*-===//

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

/// The past of one length P, a number in types, and the number of positions of each sequence that replaces it.
struct PastSizes {
  unsigned past;               // the number of the size P in the scope
  llvm::StringRef name;        // the name of P
  Dim rows, capacity;          // new positions of a call; positions of a state
  mlir::BlockArgument lengths; // [batch], the number of positions of each sequence before the call

  bool has(const Dim &dim) const { return llvm::is_contained(dim.asExpression().sizes(), past); }
  bool has(mlir::Type type) const;
  /// The extent that replaces `number`: P, and P plus the new rows, become the capacity. Returns nothing for other
  /// functions of P.
  std::optional<int64_t> extent(int64_t number) const;
  std::optional<mlir::RankedTensorType> type(mlir::Type type) const;
};

/// Builds tensors that are, for sequence b, what the original tensors were for P = past[b].
///
/// A tensor such as positions or a mask may depend only on P and on no data of sequences; then it has no dimension of
/// sequences. Its replacement has either the shape [batch] + its shape, or its own shape if one of its dimensions is
/// combined with a dimension of sequences: entry b of that dimension is then the one for past[b]. Such tensors are
/// built on demand in the form that is needed.
class PastValues {
public:
  PastValues(mlir::func::FuncOp main, const PastSizes &sizes, const Sequences &sequences);

  /// Whether the operands or the types of an operation depend on P.
  bool isConcerned(mlir::Operation *op) const;
  /// Records an operation that depends on P but on no data of sequences.
  void postpone(mlir::Operation *op);
  bool isPostponed(mlir::Value value) const { return postponed.count(value); }

  /// Sets the replacement of a tensor that has sequences, or that belongs to the only sequence.
  void replace(mlir::Value value, mlir::Value by) { made[{value, unchanged}] = by; }
  /// The replacement, or the tensor itself if it does not depend on P; nothing if it was postponed.
  std::optional<mlir::Value> find(mlir::Value value) const;

  /// Builds the operation for each sequence's own past and inserts it before `place`. Emits an error and returns null
  /// if the operation is not supported.
  mlir::Value rebuild(mlir::Operation *op, mlir::Operation *place);
  /// Builds a postponed tensor with the shape [batch] + its shape, or with sequences in dimension `dim`, which has
  /// `batch` entries.
  mlir::Value prepend(mlir::Value value, mlir::Operation *place) { return make(value, prepended, place); }
  mlir::Value align(mlir::Value value, unsigned dim, mlir::Operation *place) { return make(value, int(dim), place); }

  mlir::InFlightDiagnostic refuse(mlir::Operation *op) const;

private:
  /// The dimension of sequences in a replacement, or one of the constants below.
  using Form = int;
  // The latter for a single sequence, or for values set by `replace`.
  static constexpr Form prepended = -1, unchanged = -2;
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

  /// The operand of an operation in the same form; null, after an error, if there is none.
  mlir::Value operand(mlir::Operation *op, mlir::Value value, Form form, Builder &b);
  /// The type of the operation's result in a form; null after an error.
  mlir::RankedTensorType typeOf(mlir::Operation *op, Form form) const;
  /// The input with the length of the past of the sequence that `loop` counts, and the map with which loops read it.
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
