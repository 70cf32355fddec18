//===- Sequences.h - dimensions of sequences --------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_STATES_SEQUENCES_H
#define HEDDLE_IMPORT_STATES_SEQUENCES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace heddle {

/// Describes whether a tensor is computed from the sequences of a batch, and which of its dimensions indexes the
/// sequences.
struct SequencePlace {
  enum Kind {
    None,  // the tensor does not depend on sequences, such as a weight or a table
    Apart, // entry i of dimension `dim` depends only on sequence i floordiv `inner`
    Mixed  // entries may depend on several sequences
  } kind = None;
  // If `kind` is Apart: the dimension that indexes the sequences, and the number of its entries for each sequence.
  unsigned dim = 0;
  int64_t inner = 1;
  bool operator==(const SequencePlace &other) const {
    return kind == other.kind && dim == other.dim && inner == other.inner;
  }
};

/// Finds, for each tensor of a function with one block, which dimension indexes the sequences of a batch.
class Sequences {
public:
  /// Dimension 0 of each argument in `inputs` indexes the sequences and has the extent `batch`.
  Sequences(mlir::func::FuncOp main, llvm::ArrayRef<mlir::BlockArgument> inputs, int64_t batch);

  /// Returns the place of sequences in a tensor; None for a value that is not a tensor of the function.
  SequencePlace of(mlir::Value value) const { return places.lookup(value); }
  /// Whether there is only one sequence. In this case, no tensor is Mixed, and `dim` and `inner` have no meaning.
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
