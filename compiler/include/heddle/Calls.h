//===- Calls.h - calls of compiled code with tensors ------------*- C++ -*-===//

#ifndef HEDDLE_CALLS_H
#define HEDDLE_CALLS_H

#include "heddle/Ranges.h"
#include "heddle/Session.h"
#include "interpreter/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace heddle {

/// Calls compiled code. `inputs` are in the order of the arguments of `main` without its states; an absent optional
/// input is empty. `state` is the memory of the states, null if the model has none. Prints errors.
mlir::FailureOr<llvm::SmallVector<Tensor>> call(Session &session, mlir::func::FuncOp main,
                                                llvm::ArrayRef<std::optional<Tensor>> inputs,
                                                const heddle_executor *executor,
                                                const heddle_state_memory *state = nullptr);

/// Checks that a library's inputs, outputs and states, and the precision of its layers, are the same as in the model
/// `main`; otherwise prints an error that names `path`. Returns a value for each size that lies in a range in the
/// library, in the library's order: the value in `known`, or else the value that follows from the shapes of the inputs
/// and states of `main`.
mlir::FailureOr<SizeValues> checkInterface(const heddle_model &library, mlir::func::FuncOp main,
                                           const NamedValues &known, llvm::StringRef path);

} // namespace heddle

#endif // HEDDLE_CALLS_H
