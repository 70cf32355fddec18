//===- FragmentCode.td - a lane's code for the kinds of fragments ---------===//

#ifndef HEDDLE_KINDS_FRAGMENT_CODE_TD
#define HEDDLE_KINDS_FRAGMENT_CODE_TD

include "mlir/IR/OpBase.td"

def FragmentCode : AttrInterface<"FragmentCode"> {
  let cppNamespace = "::heddle";
  let description = [{
    Emits the code of a FragmentKind that each lane of a warp executes. All implementations are external models, so that
    the dialect does not depend on code generation.
  }];
  let methods = [
    InterfaceMethod<
      "Returns the largest number of neighbouring factors, left or right, that one load reads.",
      "int64_t", "getBlocksOfLoad", (ins "::heddle::FragmentRole":$role), [{}], [{ return 1; }]>,
    InterfaceMethod<
      "Returns the order, as for emitTileIndices, in which the lanes read a tile of factors without bank conflicts. "
      "`isTransposed` states whether a factor is a part of the transposed tile.",
      "int64_t", "getRowsApart", (ins "bool":$isTransposed)>,
    InterfaceMethod<
      "Returns, for each of `blocks` neighbouring factors, the elements of a lane, which are read from workgroup "
      "memory. Left factors are neighbours along rows, and right factors along columns. `blocks` is at most "
      "getBlocksOfLoad. Only a right factor may be transposed.",
      "::llvm::SmallVector<::llvm::SmallVector<::mlir::Value>>", "emitLoad",
      (ins "::mlir::ImplicitLocOpBuilder &":$b, "::heddle::FragmentRole":$role,
           "const ::heddle::FragmentSource &":$source, "int64_t":$blocks)>,
    InterfaceMethod<
      "Returns `sums` plus the product of `left` and `right`. Each contains a lane's elements in the layout's order.",
      "::llvm::SmallVector<::mlir::Value>", "emitProduct",
      (ins "::mlir::ImplicitLocOpBuilder &":$b, "::mlir::ValueRange":$left, "::mlir::ValueRange":$right,
           "::mlir::ValueRange":$sums)>
  ];
}

#endif // HEDDLE_KINDS_FRAGMENT_CODE_TD
