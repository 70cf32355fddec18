//===- LayerOpInterface.td - interface of layers --------------------------===//

#ifndef HEDDLE_LAYER_OP_INTERFACE_TD
#define HEDDLE_LAYER_OP_INTERFACE_TD

include "mlir/IR/OpBase.td"

def LayerOpInterface : OpInterface<"LayerOpInterface"> {
  let cppNamespace = "::heddle";
  let description = [{
    A layer of a transformer: an op whose first result is computed from rows (feature vectors, one for each position of
    each batch entry) and from operands that all rows share. Passes query every layer through these methods, so a
    new layer needs no special case in any pass.
  }];
  let methods = [
    StaticInterfaceMethod<
      "The role of each operand, in the order of the op's definition, including absent operands.",
      "::llvm::ArrayRef<::heddle::OperandRole>", "getOperandRoles">,
    InterfaceMethod<
      "The role of the operand in the layer.",
      "::heddle::OperandRole", "getOperandRole", (ins "::mlir::OpOperand &":$operand), [{}], [{
        unsigned number = operand.getOperandNumber();
        for (auto [i, role] : ::llvm::enumerate(ConcreteOp::getOperandRoles())) {
          auto [start, length] = $_op.getODSOperandIndexAndLength(i);
          if (number >= start && number < start + length)
            return role;
        }
        ::llvm_unreachable("every operand has its role");
      }]>,
    InterfaceMethod<
      "The operand whose rows become the rows of the result: the query for attention, otherwise the input.",
      "::mlir::OpOperand &", "getInputMutable", (ins), [{}], [{
        return $_op->getOpOperand(0);
      }]>,
    InterfaceMethod<
      "The residual operand; an empty range if the layer has no residual.",
      "::mlir::MutableOperandRange", "getResidualMutable", (ins), [{}], [{
        return ::mlir::MutableOperandRange($_op, 0, 0);
      }]>,
    InterfaceMethod<
      "Whether the layer adds its residual to its input or to its result.",
      "::heddle::ResidualPlace", "getResidualPlace", (ins), [{}], [{
        return ::heddle::ResidualPlace::None;
      }]>,
    InterfaceMethod<
      "The dimensions of the first result that index rows, batch entries before positions. Default: all but the last.",
      "::llvm::SmallVector<unsigned>", "getResultRows", (ins), [{}], [{
        return ::heddle::detail::allButLast($_op->getResult(0));
      }]>,
    InterfaceMethod<
      "The dimensions of an operand that index rows. Default: all but the last for inputs (normalized or not) and "
      "residuals, else none.",
      "::heddle::OperandRows", "getOperandRows", (ins "::mlir::OpOperand &":$operand), [{}], [{
        return ::heddle::detail::rowsByRole($_op.getOperandRole(operand), operand.get());
      }]>,
    InterfaceMethod<
      "Whether rows of padding can be skipped, that is, need not be computed. False if other results depend on these "
      "rows, or if computing a row takes so little time that a branch does not pay.",
      "bool", "canLeaveRowsOut", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<
      "Whether the result contains no NaN or infinity if all operands are valid: finite (zeros included), and so small "
      "that nothing overflows. If false, a product of the result with zero cannot be assumed to be zero.",
      "bool", "staysValid", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<
      "The number of multiply-adds in all matrix products, except for multiply-adds that an attribute such as `causal` "
      "makes unnecessary; 0 if a size is dynamic.",
      "double", "getMultiplyAdds", (ins), [{}], [{ return 0; }]>,
    InterfaceMethod<
      "The number of arithmetic operations that do not belong to a matrix product, bias, activation or softmax; 0 if a "
      "size is dynamic.",
      "double", "getOtherOperations", (ins), [{}], [{ return 0; }]>
  ];
}

#endif // HEDDLE_LAYER_OP_INTERFACE_TD
