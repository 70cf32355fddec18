//===- EvaluateInterface.td - an op that the interpreter can run ----------===//

#ifndef HEDDLE_INTERPRETER_EVALUATE_INTERFACE_TD
#define HEDDLE_INTERPRETER_EVALUATE_INTERFACE_TD

include "mlir/IR/OpBase.td"

def EvaluateInterface : OpInterface<"EvaluateInterface"> {
  let cppNamespace = "::heddle";
  let description = [{
    What an op computes, on tensors (scalars are tensors of rank 0). All models are external, so
    that neither the dialect nor what lowers it depends on the interpreter.
  }];
  let methods = [
    InterfaceMethod<
      "The results for these operands, which may be moved from. On failure the op has emitted an error.",
      "::llvm::LogicalResult", "evaluate",
      (ins "::llvm::MutableArrayRef<::heddle::Tensor>":$operands, "::heddle::Evaluator &":$evaluator,
           "::llvm::SmallVectorImpl<::heddle::Tensor> &":$results)>,
    InterfaceMethod<
      "The op on columns of scalars, for ops that may stand in the body of a linalg op; else null.",
      "::heddle::LaneFunction", "getLanes", (ins "::heddle::Evaluator &":$evaluator), [{}],
      [{ return {}; }]>
  ];
}

#endif // HEDDLE_INTERPRETER_EVALUATE_INTERFACE_TD
