//===- LayerOpInterface.td - interface of layers --------------------------===//

#ifndef HEDDLE_LAYER_OP_INTERFACE_TD
#define HEDDLE_LAYER_OP_INTERFACE_TD

include "mlir/IR/OpBase.td"

def LayerOpInterface : OpInterface<"LayerOpInterface"> {
  let cppNamespace = "::heddle";
  let description = [{
    A layer of a transformer: an op whose first result is computed from rows, one feature vector for each position of
    each batch entry, and from operands that all rows share. The methods answer the questions that passes ask of every
    layer, so that a new layer needs no special case in any pass.
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
      "The residual operand; an empty range if there is none or the op takes none.",
      "::mlir::MutableOperandRange", "getResidualMutable", (ins), [{}], [{
        return ::mlir::MutableOperandRange($_op, 0, 0);
      }]>,
    InterfaceMethod<
      "Where the op adds a residual.",
      "::heddle::ResidualPlace", "getResidualPlace", (ins), [{}], [{
        return ::heddle::ResidualPlace::None;
      }]>,
    InterfaceMethod<
      "The dimensions of the first result that count rows, batch entries before positions. Default: all but the last.",
      "::llvm::SmallVector<unsigned>", "getResultRows", (ins), [{}], [{
        return ::heddle::detail::allButLast($_op->getResult(0));
      }]>,
    InterfaceMethod<
      "The rows of an operand. By default the input and the residual have the result's rows, other operands none.",
      "::heddle::OperandRows", "getOperandRows", (ins "::mlir::OpOperand &":$operand), [{}], [{
        return ::heddle::detail::rowsByRole($_op.getOperandRole(operand), operand.get());
      }]>,
    InterfaceMethod<
      "Whether inactive rows can be skipped. False if a row takes so little time that a branch does not pay.",
      "bool", "canLeaveRowsOut", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<
      "Whether valid rows (zeros included) and valid shared operands always give a valid result: never NaN or an "
      "infinity. If false, a product of the result with zero cannot be assumed to be zero.",
      "bool", "staysValid", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<
      "The multiply-adds of all products, without those that the op's attributes remove; 0 if a size is dynamic.",
      "double", "getMultiplyAdds", (ins), [{}], [{ return 0; }]>,
    InterfaceMethod<
      "The number of operations outside of products, biases, activations and softmax; 0 if a size is dynamic.",
      "double", "getOtherOperations", (ins), [{}], [{ return 0; }]>
  ];
}

#endif // HEDDLE_LAYER_OP_INTERFACE_TD
