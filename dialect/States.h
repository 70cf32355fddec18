//===- States.h - state that is kept between calls --------------*- C++ -*-===//
//
// A state is a tensor that a model keeps from call to call, such as the keys of earlier tokens. It is an argument and a
// result of @main with the same annotation `heddle.state`. Both share one block of memory, which the caller owns: the
// result's value after a call is the argument's value before the next call. A call either appends rows to the state
// (heddle.append, for keys and values) or replaces the state (for example by heddle.recurrent_attention). Dimension 0
// of a state is the number of sequences, which is the same in all states of a model.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_STATES_H
#define HEDDLE_DIALECT_STATES_H

#include "NoteKinds.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

struct State {
  llvm::StringRef name;      // the value of the annotation `heddle.state`
  unsigned argument, result; // the indices of the argument and the result of @main
  /// Whether each call replaces the whole state instead of appending rows to it.
  bool isReplaced = false;
  /// If the rows consist of integers: the index (in States::all) of the state that contains the scales of the rows.
  std::optional<unsigned> scales = {};
};

/// All states of a model.
struct States {
  llvm::SmallVector<State> all; // in the order of the arguments of @main
  /// The index of the argument (annotated with heddle.state_past) that contains the number of filled rows of each
  /// sequence before the call; nullopt if there is no such argument.
  std::optional<unsigned> past;
  StateSizes sizes; // the number of sequences, the capacity and the number of new rows, which all states share

  bool empty() const { return all.empty(); }
};

/// Whether an argument or a result of the function is annotated as a state.
bool hasStates(mlir::FunctionOpInterface main);

/// Returns the states of @main, which must have the form that it has before stage `fuse`. Emits an error if one of the
/// following conditions is violated. The message ends with the condition's label.
/// * (S1) Each name belongs to one argument and one result, which have the same type.
/// * (S2) Each state is a tensor of floats, or of integers with scales. The number of sequences, the capacity and the
///   number of new rows are the same for all states.
/// * (S3) The annotation heddle.state_past is on at most one argument, a tensor of i64 of rank 1, and only in a model
///   with states. If the rows or the scales of a heddle.append are a state, or if its position is this argument, then
///   its rows and its scales (if any) are states, and its position is this argument.
mlir::FailureOr<States> readStates(mlir::func::FuncOp main);

/// An operand that an operation updates, and the result that holds its updated value.
struct StateUpdate {
  mlir::OpOperand *before;
  mlir::Value after;
};
/// Returns the updates of a heddle.append or heddle.recurrent_attention: the state and, for a heddle.append with
/// scales, the scales. Returns none for other operations and if `op` is null.
llvm::SmallVector<StateUpdate, 2> getStateUpdates(mlir::Operation *op);

/// Returns the argument of @main from which a chain of zero or more updates (StateUpdate) leads to `value`; null if
/// `value` is computed in another way.
mlir::BlockArgument updatedArgument(mlir::Value value);

} // namespace heddle

#endif // HEDDLE_DIALECT_STATES_H
