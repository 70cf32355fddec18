//===- EvaluateInterface.td - interface of interpreted ops ----------------===//

#ifndef HEDDLE_INTERPRETER_EVALUATE_INTERFACE_TD
#define HEDDLE_INTERPRETER_EVALUATE_INTERFACE_TD

include "mlir/IR/OpBase.td"

def EvaluateInterface : OpInterface<"EvaluateInterface"> {
  let cppNamespace = "::heddle";
  let description = [{
    Computes the results of an op for tensors (scalars are tensors of rank 0). All implementations are external models,
    so that neither the dialect nor the lowerings depend on the interpreter.
  }];
  let methods = [
    InterfaceMethod<
      "Computes the results for these operands, which may be moved from. On failure it has emitted an error.",
      "::llvm::LogicalResult", "evaluate",
      (ins "::llvm::MutableArrayRef<::heddle::Tensor>":$operands, "::heddle::Evaluator &":$evaluator,
           "::llvm::SmallVectorImpl<::heddle::Tensor> &":$results)>,
    InterfaceMethod<
      "Returns a function that runs the op on each element of arrays; null for ops that cannot be in a linalg op.",
      "::heddle::LaneFunction", "getLanes", (ins "::heddle::Evaluator &":$evaluator), [{}],
      [{ return {}; }]>
  ];
}

#endif // HEDDLE_INTERPRETER_EVALUATE_INTERFACE_TD
