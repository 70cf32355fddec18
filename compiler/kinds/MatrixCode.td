//===- MatrixCode.td - products by matrix instructions ---------------------===//

#ifndef HEDDLE_KINDS_MATRIX_CODE_TD
#define HEDDLE_KINDS_MATRIX_CODE_TD

include "mlir/IR/OpBase.td"

def MatrixCode : AttrInterface<"MatrixCode"> {
  let cppNamespace = "::heddle";
  let description = [{
    Emits the code of a ProductKind for heddle.tile_product on buffers. One Intel AMX instruction multiplies a unit of
    the kind (ProductUnit.h). The pass heddle-lower-tile-products emits the loads and stores of the tiles. All
    implementations are external models, so that the dialect does not depend on code generation.
  }];
  let methods = [
    InterfaceMethod<
      "Returns `sums` plus the product of `rows` and `weight`. All are values of type !amx.tile. Their shapes are "
      "[rows, depth x steps], [steps, depth x columns] and [rows, columns] with the rows, steps and columns of the "
      "kind's unit and the depth that getDepth of ProductKind returns.",
      "::mlir::Value", "emitProduct",
      (ins "::mlir::ImplicitLocOpBuilder &":$b, "::mlir::Value":$rows, "::mlir::Value":$weight, "::mlir::Value":$sums)>
  ];
}

#endif // HEDDLE_KINDS_MATRIX_CODE_TD
