//===- Accesses.td - grouped element accesses -----------------------------===//

#ifndef HEDDLE_OPS_ACCESSES_TD
#define HEDDLE_OPS_ACCESSES_TD

include "HeddleBase.td"

def Heddle_AccessesOp : Op<Heddle_Dialect, "accesses", [SingleBlock, AttrSizedOperandSegments]> {
  let summary = "reads and writes elements of tensors in their buffers";
  let description = [{
    The region runs once. Its arguments are the buffers of the tensors `ins`, which the region only reads, and of the
    tensors `outs`, which the region updates. The results are the updated tensors, followed by the values that the
    region yields. The region's operations are numbered in their order, from 0. For each tensor, `last` contains the
    number of the last operation that accesses the tensor. For each of `outs`, `first` contains the number of the first
    operation that writes the tensor, and `overwritten` is true if none of the tensor's previous elements is kept or
    read.

    Stage `bufferize` moves sequences of operations that access elements of tensors (vector transfers, `tensor.extract`)
    into the regions of `heddle.accesses`, runs One-Shot Bufferize on the function, and then replaces each
    `heddle.accesses` by its region. The time of the analysis in One-Shot Bufferize is cubic in the number of operations
    that access a tensor. Therefore the grouping makes the analysis much faster.
  }];
  let arguments = (ins
    Variadic<AnyRankedTensor>:$inputs, Variadic<AnyRankedTensor>:$outputs,
    DenseI64ArrayAttr:$first, DenseI64ArrayAttr:$last, DenseBoolArrayAttr:$overwritten);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
  let assemblyFormat = [{
    (`ins` `(` $inputs^ `:` type($inputs) `)`)? (`outs` `(` $outputs^ `:` type($outputs) `)`)?
    (`->` type($results)^)? $body attr-dict
  }];
}

def Heddle_YieldOp : Op<Heddle_Dialect, "yield", [Pure, Terminator, ParentOneOf<["AccessesOp", "AttentionOp"]>]> {
  let summary = "ends a region of heddle.accesses or heddle.attention";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

#endif // HEDDLE_OPS_ACCESSES_TD
