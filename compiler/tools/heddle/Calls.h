//===- Calls.h - a model called with tensors --------------------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_CALLS_H
#define HEDDLE_TOOLS_CALLS_H

#include "heddle/Session.h"
#include "interpreter/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace heddle {

/// Calls compiled code with inputs in the order of `main`'s arguments. Errors are printed.
mlir::FailureOr<llvm::SmallVector<Tensor>> call(Session &session, mlir::func::FuncOp main,
                                                llvm::ArrayRef<std::optional<Tensor>> inputs,
                                                const heddle_executor *executor);

/// Fails, and says where, if a library's inputs and outputs are not those of the model, whose sizes that lie in ranges
/// have these values in `main`.
mlir::LogicalResult checkInterface(const heddle_model &library, mlir::func::FuncOp main, llvm::ArrayRef<size_t> sizes,
                                   llvm::StringRef path);

} // namespace heddle

#endif // HEDDLE_TOOLS_CALLS_H
