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
  // The value of an optional input if the caller passes none; nothing if the input is required.
  std::optional<int64_t> defaultValue;
  // The smallest and the largest valid element of an index input; nothing for other inputs.
  std::optional<std::pair<int64_t, int64_t>> range;
  bool isPast = false; // whether a state provides the value of this input if the caller passes none
};

/// The inputs and outputs of `main` without the states, which the caller passes as one block of memory.
std::vector<Port> inputPorts(mlir::func::FuncOp main);
std::vector<Port> outputPorts(mlir::func::FuncOp main);
/// The arguments of `main` that are states.
std::vector<Port> statePorts(mlir::func::FuncOp main);

/// Reads the model's inputs from a file, in the order of inputPorts(main). An optional input that is not in the file is
/// empty in the result. Emits an error at `path` if an input is missing or has the wrong type or shape. Emits only a
/// remark for a tensor that is not an input of the model, since one file may serve several models. Emits an error,
/// however, if the file contains an input of the imported model's file that the states or the input with the number of
/// past rows replace (notes::replacedInputs), such as `attention_mask`.
mlir::FailureOr<std::vector<std::optional<Tensor>>> bindInputs(mlir::func::FuncOp main, const WeightStore &file,
                                                               llvm::StringRef path);

/// Reads the expected value of each output. An output that is not in the file is empty in the result. Emits an error at
/// `path` if the file contains none of the model's outputs, a value of another shape than its output, or integers for
/// an output of floats or vice versa. The elements may have another width than the output.
mlir::FailureOr<std::vector<std::optional<Tensor>>> bindExpected(mlir::func::FuncOp main, const WeightStore &file,
                                                                 llvm::StringRef path);

/// The inputs for the interpreter: each absent input is replaced by its default value; the default of the past is 0.
std::vector<Tensor> withDefaults(mlir::func::FuncOp main, llvm::ArrayRef<std::optional<Tensor>> inputs);

/// The index of element i of a tensor as text, such as "[0, 3, 7]".
std::string indexText(llvm::ArrayRef<int64_t> shape, int64_t i);

/// Emits an error if an input has an element outside its range; the error describes the first such element.
mlir::LogicalResult checkRanges(mlir::func::FuncOp main, llvm::ArrayRef<std::optional<Tensor>> inputs,
                                llvm::StringRef path);

} // namespace heddle

#endif // HEDDLE_INPUTS_H
