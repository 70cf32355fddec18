//===- Sequences.h - dimensions of sequences --------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_STATES_SEQUENCES_H
#define HEDDLE_IMPORT_STATES_SEQUENCES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace heddle {

/// Whether a tensor is computed from the sequences of a batch, and in which dimension they are.
struct SequencePlace {
  enum Kind {
    None,  // it does not depend on them: a weight or a table
    Apart, // entry i of dimension `dim` depends only on sequence i floordiv `inner`
    Mixed  // entries may depend on several sequences
  } kind = None;
  unsigned dim = 0;
  int64_t inner = 1;
  bool operator==(const SequencePlace &other) const {
    return kind == other.kind && dim == other.dim && inner == other.inner;
  }
};

/// The positions of sequences in all tensors of a function with one block, according to the dimensions of each
/// operation.
class Sequences {
public:
  /// The sequences are dimension 0 of the arguments `inputs`; `batch` is their number in types.
  Sequences(mlir::func::FuncOp main, llvm::ArrayRef<mlir::BlockArgument> inputs, int64_t batch);

  SequencePlace of(mlir::Value value) const { return places.lookup(value); }
  /// Whether there is only one sequence. Then it is never mixed with others, and dimensions have no meaning.
  bool isOne() const { return batch == 1; }

private:
  SequencePlace find(mlir::OpResult result) const;

  int64_t batch;
  llvm::DenseMap<mlir::Value, SequencePlace> places;
};

/// The tensors that an operation reads: its operands and the values that its regions use from outside.
llvm::SmallVector<mlir::Value> tensorsReadBy(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_IMPORT_STATES_SEQUENCES_H
