//===- LayerOpInterface.td - what layers have in common -------------------===//

#ifndef HEDDLE_LAYER_OP_INTERFACE_TD
#define HEDDLE_LAYER_OP_INTERFACE_TD

include "mlir/IR/OpBase.td"

def LayerOpInterface : OpInterface<"LayerOpInterface"> {
  let cppNamespace = "::heddle";
  let description = [{
    A layer of a transformer: an op whose first result is computed from rows, each an element vector
    of one position of one batch entry, and from operands that all rows share. What passes ask of
    layers in common is answered here, so that a new layer needs no case in any of them.
  }];
  let methods = [
    StaticInterfaceMethod<
      "The role of each operand, in the order of the op's definition, absent ones included.",
      "::llvm::ArrayRef<::heddle::OperandRole>", "getOperandRoles">,
    InterfaceMethod<
      "What the operand is to the layer.",
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
      "The operand whose rows become those of the result: the query of attention, else the input.",
      "::mlir::OpOperand &", "getInputMutable", (ins), [{}], [{
        return $_op->getOpOperand(0);
      }]>,
    InterfaceMethod<
      "The residual: no operand where there is none, or where the op takes none.",
      "::mlir::MutableOperandRange", "getResidualMutable", (ins), [{}], [{
        return ::mlir::MutableOperandRange($_op, 0, 0);
      }]>,
    InterfaceMethod<
      "Where the op adds a residual.",
      "::heddle::ResidualPlace", "getResidualPlace", (ins), [{}], [{
        return ::heddle::ResidualPlace::None;
      }]>,
    InterfaceMethod<
      "The dimensions of the first result that count rows, batch entries before positions. By default all but the last.",
      "::llvm::SmallVector<unsigned>", "getResultRows", (ins), [{}], [{
        return ::heddle::detail::allButLast($_op->getResult(0));
      }]>,
    InterfaceMethod<
      "The rows of an operand. By default the input and a residual have those of the result, others none.",
      "::heddle::OperandRows", "getOperandRows", (ins "::mlir::OpOperand &":$operand), [{}], [{
        return ::heddle::detail::rowsByRole($_op.getOperandRole(operand), operand.get());
      }]>,
    InterfaceMethod<
      "Whether rows that nobody needs can be left out. Not where a row takes too little to be worth a branch.",
      "bool", "canLeaveRowsOut", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<
      "Whether rows of ordinary numbers, zeros among them, and what they share make an ordinary result: never NaN or "
      "infinity. Where it does not, it cannot be told that a product of the result with zero is zero.",
      "bool", "staysOrdinary", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<
      "Multiply-adds of all products, those left out that the op's attributes remove; 0 where a size is dynamic.",
      "double", "getMultiplyAdds", (ins), [{}], [{ return 0; }]>,
    InterfaceMethod<
      "Operations in anything but products, a bias, an activation or a softmax not counted; 0 where a size is dynamic.",
      "double", "getOtherOperations", (ins), [{}], [{ return 0; }]>
  ];
}

#endif // HEDDLE_LAYER_OP_INTERFACE_TD
