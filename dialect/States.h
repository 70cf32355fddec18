//===- States.h - state that is kept between calls --------------*- C++ -*-===//
//
// An argument and a result of @main with the same `heddle.state` share one block of memory, which the caller keeps: the
// result's value after a call is the argument's value before the next call. A call either appends rows to the state
// (heddle.append, for keys and values) or replaces the state (heddle.recurrent_attention). All states have the same
// number of sequences, which is dimension 0.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_STATES_H
#define HEDDLE_DIALECT_STATES_H

#include "NoteKinds.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

struct State {
  llvm::StringRef name;
  unsigned argument, result; // indices of the argument and the result of @main
  /// Whether each call replaces the state.
  bool isReplaced = false;
  /// If the rows are integers: the index (in States::all) of the state that contains their scales.
  std::optional<unsigned> scales = {};
};

struct States {
  llvm::SmallVector<State> all;
  /// The index of the argument that contains the number of filled rows of each sequence.
  std::optional<unsigned> past;
  StateSizes sizes;

  bool empty() const { return all.empty(); }
};

/// Whether an argument or a result of the function is annotated as a state.
bool hasStates(mlir::FunctionOpInterface main);

/// Returns the states of @main, before stage fuse. Emits an error, which describes the found and the expected property,
/// if an argument and a result do not match (S1), if the numbers of sequences or rows differ between states (S2), or if
/// rows are not appended at the position in the input that is marked by heddle.state_past (S3).
mlir::FailureOr<States> readStates(mlir::func::FuncOp main);

/// An operand that an operation updates, and the result that holds its updated value.
struct StateUpdate {
  mlir::OpOperand *before;
  mlir::Value after;
};
/// Returns the updates of an operation: none for null and for operations that update no operand.
llvm::SmallVector<StateUpdate, 2> getStateUpdates(mlir::Operation *op);

/// Returns the argument of @main that becomes `value` by a chain of updates; null if there is none.
mlir::BlockArgument updatedArgument(mlir::Value value);

} // namespace heddle

#endif // HEDDLE_DIALECT_STATES_H
