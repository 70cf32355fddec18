//===- PastValues.h - values for the past of each sequence ------*- C++ -*-===//

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

/// The length P of the past and the sizes that replace it. In the original module, P is a single size for all
/// sequences.
struct PastSizes {
  unsigned past;               // the index of the size P in the SizeScope
  llvm::StringRef name;        // the name of P
  Dim rows, capacity;          // the number of new positions of a call; the number of positions of a state
  mlir::BlockArgument lengths; // [batch], the length of the past of each sequence

  /// Whether a dimension, or an extent of a type, depends on P.
  bool has(const Dim &dim) const { return llvm::is_contained(dim.asExpression().sizes(), past); }
  bool has(mlir::Type type) const;
  /// The extent that replaces the extent `number`: the capacity for P and for P plus the new rows, and `number` itself
  /// if it does not depend on P. Returns nothing for other functions of P.
  std::optional<int64_t> extent(int64_t number) const;
  /// Returns the tensor type with replaced extents; nothing if an extent has no replacement.
  std::optional<mlir::RankedTensorType> type(mlir::Type type) const;
};

/// Builds the tensors that replace the tensors of the original module. For sequence b, a replacement contains the
/// elements that the original tensor has if P = past[b].
///
/// A tensor such as the positions or a mask may depend on P but on no data of the sequences. Such a tensor has no
/// dimension of sequences. Its replacement is built only when an operation reads it ("postponed"), because the
/// operation determines the form of the replacement. The form is [batch] + the original shape or, if the operation
/// combines one of the tensor's dimensions with a dimension of sequences, the original shape. In the second case, entry
/// b of that dimension is computed for past[b].
class PastValues {
public:
  PastValues(mlir::func::FuncOp main, const PastSizes &sizes, const Sequences &sequences);

  /// Whether the values that an operation reads, its types, or the offsets of a slice depend on P.
  bool isConcerned(mlir::Operation *op) const;
  /// Records an operation that depends on P but on no data of the sequences. Its results are built when they are read.
  void postpone(mlir::Operation *op);
  bool isPostponed(mlir::Value value) const { return postponed.count(value); }

  /// Sets the replacement of a tensor that has a dimension of sequences, or of any tensor if there is only one
  /// sequence.
  void replace(mlir::Value value, mlir::Value by) { made[{value, unchanged}] = by; }
  /// Returns the replacement, or the tensor itself if it does not depend on P; nothing if the tensor was postponed.
  std::optional<mlir::Value> find(mlir::Value value) const;

  /// Builds the replacement of an operation and inserts it before `place`. In the replacement, each sequence has its
  /// own past. Emits an error and returns null if the operation is not supported.
  mlir::Value rebuild(mlir::Operation *op, mlir::Operation *place);
  /// Builds a postponed tensor with the shape [batch] + its original shape. Returns null after an error.
  mlir::Value prepend(mlir::Value value, mlir::Operation *place) { return make(value, prepended, place); }
  /// Builds a postponed tensor with its original shape. The dimension `dim` of this shape has the extent `batch` and
  /// indexes the sequences. Returns null after an error.
  mlir::Value align(mlir::Value value, unsigned dim, mlir::Operation *place) { return make(value, int(dim), place); }

  /// Begins an error about the node of the model from which `op` was imported.
  mlir::InFlightDiagnostic refuse(mlir::Operation *op) const;

private:
  /// The index of the dimension of sequences in a replacement, or one of the constants below.
  using Form = int;
  // `prepended` adds a first dimension of sequences. `unchanged` keeps the original shape; this form is used for a
  // single sequence, for tensors in which one dimension combines sequences with other indices, and for values that
  // `replace` set.
  static constexpr Form prepended = -1, unchanged = -2;
  using Builder = mlir::ImplicitLocOpBuilder;
  class Loops;

  /// Builds a postponed tensor before `place`, unless it was already built in this form. Returns null after an error.
  mlir::Value make(mlir::Value value, Form form, mlir::Operation *place);
  /// Each of these functions builds the replacement of an operation in a form. Returns null after an error.
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
  /// Builds `value` with a first dimension of sequences, and selects entry i of dimension `form` for sequence i. This
  /// suits operations that do not keep the dimension of sequences of their operand.
  mlir::Value diagonal(mlir::Value value, Form form, Builder &b);
  /// Broadcasts `value` to `type` along the dimension of sequences.
  mlir::Value broadcastTo(mlir::Value value, mlir::RankedTensorType type, Form form, Builder &b);

  /// Returns the operand `value` of `op` in the form in which `op` is built. Returns null after an error.
  mlir::Value operand(mlir::Operation *op, mlir::Value value, Form form, Builder &b);
  /// Returns the type of the operation's result in a form, or null after an error.
  mlir::RankedTensorType typeOf(mlir::Operation *op, Form form) const;
  /// Returns the tensor with the lengths of the pasts, and the index map with which a nest of `loops` loops reads the
  /// length of the sequence that `loop` counts.
  std::pair<mlir::Value, mlir::AffineMap> lengthsFor(unsigned loops, mlir::AffineExpr loop, Form form, Builder &b);
  /// Computes `scalar` with `past` instead of P. Returns `scalar` itself if it does not depend on P.
  mlir::Value cloneScalar(mlir::Value scalar, mlir::Value past, mlir::OpBuilder &b) const;
  /// Whether a value that is not a tensor depends on P.
  bool dependsOnPast(mlir::Value scalar) const { return scalars.count(scalar); }

  mlir::Location loc; // the location of @main, for errors
  const PastSizes &sizes;
  const Sequences &sequences;
  int64_t batch; // the number of sequences, as types represent it
  // The scalars that depend on P, and the tensors whose replacements are built when they are read.
  llvm::DenseSet<mlir::Value> scalars, postponed;
  // The replacements that were built, by original value and form.
  llvm::DenseMap<std::pair<mlir::Value, Form>, mlir::Value> made;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_STATES_PASTVALUES_H
