//===- States.h - what a model keeps from call to call ----------*- C++ -*-===//
//
// An argument and a result of @main with one `heddle.state` are one memory of the caller: what the result is after a
// call, the argument is before the next one. Either a call adds rows behind those that are there (heddle.append, to
// keys and values), or it leaves another state in place of the old one (heddle.recurrent_attention). Sequences,
// dimension 0, are as many in all states.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_STATES_H
#define HEDDLE_DIALECT_STATES_H

#include "NoteKinds.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

struct State {
  llvm::StringRef name;
  unsigned argument, result; // of @main
  /// Whether a call leaves another one in its place.
  bool isWhole = false;
  /// Of rows of integers, which of all states has their scales.
  std::optional<unsigned> scales = {};
};

struct States {
  llvm::SmallVector<State> all;
  /// The argument that says how many rows of each sequence are filled.
  std::optional<unsigned> past;
  StateSizes sizes;

  bool empty() const { return all.empty(); }
};

/// Whether the function has a state.
bool hasStates(mlir::FunctionOpInterface main);

/// Those of @main before stage fuse. An error, of which the message says what was found and what was expected, where
/// they are not one memory (S1), not of as many sequences and rows (S2), or rows are not where heddle.state_past says
/// (S3).
mlir::FailureOr<States> readStates(mlir::func::FuncOp main);

/// An operand that an operation updates, and the result that it is then.
struct StateUpdate {
  mlir::OpOperand *before;
  mlir::Value after;
};
/// Those of an operation; none of another one, or null.
llvm::SmallVector<StateUpdate, 2> getStateUpdates(mlir::Operation *op);

/// The argument of @main that is updated to `value`, step by step; null where it is none.
mlir::BlockArgument updatedArgument(mlir::Value value);

} // namespace heddle

#endif // HEDDLE_DIALECT_STATES_H
