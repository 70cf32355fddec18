//===- Calls.h - a model called with tensors --------------------*- C++ -*-===//

#ifndef HEDDLE_CALLS_H
#define HEDDLE_CALLS_H

#include "heddle/Ranges.h"
#include "heddle/Session.h"
#include "interpreter/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace heddle {

/// Calls compiled code with inputs in the order of `main`'s arguments; `state` is the memory of those that are states,
/// if it has any. Errors are printed.
mlir::FailureOr<llvm::SmallVector<Tensor>> call(Session &session, mlir::func::FuncOp main,
                                                llvm::ArrayRef<std::optional<Tensor>> inputs,
                                                const heddle_executor *executor,
                                                const heddle_state_memory *state = nullptr);

/// Fails, and says where, if a library's inputs and outputs are not those of the model, or its layers are computed in
/// what the model's are not. What its sizes that lie in ranges are in a call of `main`, in its order: `known` are those
/// of the model, and shapes tell what else it takes.
mlir::FailureOr<SizeValues> checkInterface(const heddle_model &library, mlir::func::FuncOp main,
                                           const NamedValues &known, llvm::StringRef path);

} // namespace heddle

#endif // HEDDLE_CALLS_H
