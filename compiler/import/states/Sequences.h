//===- Sequences.h - where the sequences of a batch are ---------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_STATES_SEQUENCES_H
#define HEDDLE_IMPORT_STATES_SEQUENCES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace heddle {

/// Whether a tensor is computed from the sequences of a batch, and how they lie in it.
struct SequencePlace {
  enum Kind {
    None,  // it has nothing of them: a weight, a table
    Apart, // entry i of dimension `dim` is made of sequence i floordiv `inner` alone
    Mixed  // not known to keep them apart
  } kind = None;
  unsigned dim = 0;
  int64_t inner = 1;
  bool operator==(const SequencePlace &other) const {
    return kind == other.kind && dim == other.dim && inner == other.inner;
  }
};

/// Of all tensors of a function of one block, by what each operation does with dimensions.
class Sequences {
public:
  /// `batch` sequences, as a number in types says, are dimension 0 of these arguments.
  Sequences(mlir::func::FuncOp main, llvm::ArrayRef<mlir::BlockArgument> inputs, int64_t batch);

  SequencePlace of(mlir::Value value) const { return places.lookup(value); }
  /// There is only one: wherever it is, it is apart, and places have no meaning.
  bool isOne() const { return batch == 1; }

private:
  SequencePlace find(mlir::OpResult result) const;

  int64_t batch;
  llvm::DenseMap<mlir::Value, SequencePlace> places;
};

/// Tensors that an operation reads: its operands, and those that its regions take from outside.
llvm::SmallVector<mlir::Value> tensorsReadBy(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_IMPORT_STATES_SEQUENCES_H
