//===- ProductCode.td - vector code for the kinds of products -------------===//

#ifndef HEDDLE_KINDS_PRODUCT_CODE_TD
#define HEDDLE_KINDS_PRODUCT_CODE_TD

include "mlir/IR/OpBase.td"

def ProductCode : AttrInterface<"ProductCode"> {
  let cppNamespace = "::heddle";
  let description = [{
    Emits the code of a ProductKind for heddle.tile_product, which multiplies rows by a weight. The code works on 1-D
    vectors with one lane for each column of the result. A step adds the products of `depth` elements of a row and
    `depth` elements of each column of the weight. The emitted code keeps accumulators in registers while it adds
    the products of all steps, and then turns the accumulators into sums. All implementations are external models, so
    that the dialect does not depend on code generation.
  }];
  let methods = [
    InterfaceMethod<
      "Returns the accumulators, before the first step, for `sums`, a vector with the kind's type of sums. By default "
      "the accumulators are the sums themselves.",
      "::mlir::Value", "emitStart", (ins "::mlir::ImplicitLocOpBuilder &":$b, "::mlir::Value":$sums), [{}],
      [{ return sums; }]>,
    InterfaceMethod<
      "Returns the numbers in part `part` of each element of `weight`, for kinds whose weight has several numbers in an "
      "element (getStepsPerElement of ProductKind).",
      "::mlir::Value", "emitNumbers",
      (ins "::mlir::ImplicitLocOpBuilder &":$b, "::mlir::Value":$weight, "int64_t":$part), [{}],
      [{ return weight; }]>,
    InterfaceMethod<
      "Returns `accumulators` plus the products of one step. `rows` and `weight` have `depth` elements for each lane; "
      "the elements of `rows` are the same for all lanes. `weight` is a result of emitNumbers.",
      "::mlir::Value", "emitStep",
      (ins "::mlir::ImplicitLocOpBuilder &":$b, "::mlir::Value":$rows, "::mlir::Value":$weight,
           "::mlir::Value":$accumulators)>,
    InterfaceMethod<
      "Returns the sums to which `accumulators` amount after the last step. `start` is the vector of sums that "
      "emitStart was called with. A kind whose accumulators are narrower than its sums widens them here and adds "
      "`start`, which costs one conversion for all steps instead of one for each step. By default the sums are the "
      "accumulators.",
      "::mlir::Value", "emitSums",
      (ins "::mlir::ImplicitLocOpBuilder &":$b, "::mlir::Value":$accumulators, "::mlir::Value":$start), [{}],
      [{ return accumulators; }]>
  ];
}

#endif // HEDDLE_KINDS_PRODUCT_CODE_TD
