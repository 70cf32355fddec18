//===- Accesses.td - elements of tensors, read and written together -------===//

#ifndef HEDDLE_OPS_ACCESSES_TD
#define HEDDLE_OPS_ACCESSES_TD

include "HeddleBase.td"

def Heddle_AccessesOp : Op<Heddle_Dialect, "accesses", [SingleBlock, AttrSizedOperandSegments]> {
  let summary = "reads and writes elements of tensors in their buffers";
  let description = [{
    The region runs once, with the buffers of `ins`, which it reads only, and of `outs`, which it
    updates. The results are the updated tensors and then the values that the region yields.
    The region's operations are numbered: `last` has the last that accesses each tensor, `first` the
    first that writes each of `outs`; `overwritten` is true where one's old elements neither
    remain nor are read.

    What a run of vector transfers becomes in stage `bufferize`, so that its analysis, which takes
    time by the cube of their number, sees one operation; gone when the stage ends.
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
