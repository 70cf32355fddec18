//===- Inputs.h - tensors of a model's interface ----------------*- C++ -*-===//

#ifndef HEDDLE_INPUTS_H
#define HEDDLE_INPUTS_H

#include "heddle/WeightStore.h"
#include "interpreter/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// An argument or result of a model's `main`.
struct Port {
  std::string name;
  mlir::RankedTensorType type;
  std::optional<int64_t> defaultValue; // of an optional input
  std::optional<std::pair<int64_t, int64_t>> range;
  bool isPast = false; // an input that a state says if it is absent
};

/// Without states, which are no tensors of one call.
std::vector<Port> inputPorts(mlir::func::FuncOp main);
std::vector<Port> outputPorts(mlir::func::FuncOp main);
/// The arguments that are states, by their names.
std::vector<Port> statePorts(mlir::func::FuncOp main);

/// The model's inputs from a file, in order; an optional input that the file lacks stays
/// empty. What is missing, or of another type or shape, is an error at `path`; a tensor that
/// the model does not have is only noted, since one file may serve several models.
mlir::FailureOr<std::vector<std::optional<Tensor>>> bindInputs(mlir::func::FuncOp main, const WeightStore &file,
                                                               llvm::StringRef path);

/// The expected value of each output; empty where the file has none. A file that has no
/// output of the model at all is an error.
mlir::FailureOr<std::vector<std::optional<Tensor>>> bindExpected(mlir::func::FuncOp main, const WeightStore &file,
                                                                 llvm::StringRef path);

/// With every absent input set to its default: what the interpreter takes.
std::vector<Tensor> withDefaults(mlir::func::FuncOp main, llvm::ArrayRef<std::optional<Tensor>> inputs);

/// Names element i of a tensor: "[0, 3, 7]".
std::string indexText(llvm::ArrayRef<int64_t> shape, int64_t i);

/// An input whose elements leave their range is an error that names the first of them.
mlir::LogicalResult checkRanges(mlir::func::FuncOp main, llvm::ArrayRef<std::optional<Tensor>> inputs,
                                llvm::StringRef path);

} // namespace heddle

#endif // HEDDLE_INPUTS_H
