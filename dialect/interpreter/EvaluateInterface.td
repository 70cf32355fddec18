//===- EvaluateInterface.td - interface of interpreted ops ----------------===//

#ifndef HEDDLE_INTERPRETER_EVALUATE_INTERFACE_TD
#define HEDDLE_INTERPRETER_EVALUATE_INTERFACE_TD

include "mlir/IR/OpBase.td"

def EvaluateInterface : OpInterface<"EvaluateInterface"> {
  let cppNamespace = "::heddle";
  let description = [{
    Computes the results of an op from the values of its operands, which are objects of class Tensor: tensors, vectors,
    scalars (tensors of rank 0) or memrefs. All implementations are external models, so neither the dialect nor the
    lowerings depend on the interpreter.
  }];
  let methods = [
    InterfaceMethod<
      "Computes the results of the op and appends them to `results`. `operands` are the values of the op's operands, "
      "from which an implementation may move. Emits an error at the op if the evaluation fails.",
      "::llvm::LogicalResult", "evaluate",
      (ins "::llvm::MutableArrayRef<::heddle::Tensor>":$operands, "::heddle::Evaluator &":$evaluator,
           "::llvm::SmallVectorImpl<::heddle::Tensor> &":$results)>,
    InterfaceMethod<
      "Returns a function that computes the op for many points of an iteration space at a time; null if the "
      "interpreter does not support the op in the body of another op (ElementProgram.h).",
      "::heddle::LaneFunction", "getLanes", (ins "::heddle::Evaluator &":$evaluator), [{}],
      [{ return {}; }]>
  ];
}

#endif // HEDDLE_INTERPRETER_EVALUATE_INTERFACE_TD
