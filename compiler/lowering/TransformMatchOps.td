//===- TransformMatchOps.td - transform ops for @match --------------------===//
//
// Each op checks whether a strategy can lower one payload op. If the strategy
// cannot, the op fails silenceably with the reason.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TRANSFORM_MATCH_OPS_TD
#define HEDDLE_TRANSFORM_MATCH_OPS_TD

def Heddle_MatchHeadLanesOp : Op<Transform_Dialect, "heddle.match_head_lanes",
    [SingleOpMatcher, MatchOpInterface, MemoryEffectsOpInterface]> {
  let summary = "matches attention that lower_attention_heads can lower";
  let description = [{
    Fails silenceably, among other reasons, if lower_attention_heads would need more vector lanes, including padding,
    than lower_attention, which puts queries of one head into lanes.
  }];
  let cppNamespace = "::heddle::transforms";
  let arguments = (ins TransformHandleTypeInterface:$operand_handle, Heddle_Param:$lanes);
  let assemblyFormat = "$operand_handle `lanes` `(` $lanes `)` attr-dict `:` type($operand_handle)";
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration;
}

def Heddle_MatchQueriesOp : Op<Transform_Dialect, "heddle.match_queries",
    [SingleOpMatcher, MatchOpInterface, MemoryEffectsOpInterface]> {
  let summary = "matches attention on few queries";
  let description = [{
    Matches attention on at most `at_most` queries. The number of queries must be fixed, that is, it must not depend on
    a size that lies in a range. The attention probabilities of all keys are stored if they are a result or if a region
    changes them. In this case, the number of keys must also be fixed, and if `score_kib` is given, the attention
    probabilities of all queries must fit into `score_kib` KiB.
  }];
  let cppNamespace = "::heddle::transforms";
  let arguments = (ins TransformHandleTypeInterface:$operand_handle, I64Attr:$at_most,
                       Optional<Heddle_Param>:$score_kib);
  let assemblyFormat = [{
    $operand_handle `at_most` `(` $at_most `)` (`score_kib` `(` $score_kib^ `)`)? attr-dict `:` type($operand_handle)
  }];
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration;
}

def Heddle_MatchOnlineOp : Op<Transform_Dialect, "heddle.match_online",
    [SingleOpMatcher, MatchOpInterface, MemoryEffectsOpInterface]> {
  let summary = "matches attention whose softmax can be computed online, one block of keys after the other";
  let description = [{
    Fails silenceably if the attention probabilities of all keys are needed at once, because they are a result of the op
    or because its region `probability` changes them.
  }];
  let cppNamespace = "::heddle::transforms";
  let arguments = (ins TransformHandleTypeInterface:$operand_handle);
  let assemblyFormat = "$operand_handle attr-dict `:` type($operand_handle)";
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration;
}

def Heddle_MatchStreamsOp : Op<Transform_Dialect, "heddle.match_streams",
    [SingleOpMatcher, MatchOpInterface, MemoryEffectsOpInterface]> {
  let summary = "matches an op on rows whose result is larger than the caches";
  let description = [{
    Fails silenceably if the first result may have fewer than `at_least` bytes. Also fails if the rows of this result
    (along the last dimension) are not whole cache lines of 64 bytes or have a length that lies in a range, and if there
    is no result of static shape. A softmax must be along the last dimension.
  }];
  let cppNamespace = "::heddle::transforms";
  let arguments = (ins TransformHandleTypeInterface:$operand_handle, I64Attr:$at_least);
  let assemblyFormat = "$operand_handle `at_least` `(` $at_least `)` attr-dict `:` type($operand_handle)";
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration;
}

def Heddle_MatchRoundingOp : Op<Transform_Dialect, "heddle.match_rounding",
    [SingleOpMatcher, MatchOpInterface, MemoryEffectsOpInterface]> {
  let summary = "matches heddle.linear that rounds the rows of its input to bf16 or integers";
  let description = [{
    With `dots`, the layer must also be computable with dot products of narrow types. Among other conditions, its weight
    must be a constant that is stored as bf16 if rows are rounded to bf16, and as i8 if rows are rounded to integers. A
    weight of i8 must have a scale for each column or, if rows have a scale for each block, for each block of a column.
    With `absent`, matches a layer that does not round its rows.
  }];
  let cppNamespace = "::heddle::transforms";
  let arguments = (ins TransformHandleTypeInterface:$operand_handle, UnitAttr:$absent, UnitAttr:$dots);
  let assemblyFormat = "$operand_handle (`absent` $absent^)? (`dots` $dots^)? attr-dict `:` type($operand_handle)";
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration;
}

def Heddle_MatchMatricesOp : Op<Transform_Dialect, "heddle.match_matrices",
    [SingleOpMatcher, MatchOpInterface, MemoryEffectsOpInterface]> {
  let summary = "matches heddle.linear that rounds its rows and that matrix instructions compute well";
  let description = [{
    The layer must be computable with dot products of narrow types, as for match_rounding with `dots`. If it rounds rows
    to integers, its weight must not be stored in 4 bits. Fails silenceably if the layer has too few rows; if their
    number lies in a range, its maximum counts. The least number of rows is `bf16_rows` if rows are rounded to bf16,
    `block_rows` if they are rounded to integers with a scale for each block, and `rows` if they are rounded to other
    integers. Also fails if one matrix instruction of lower_rounded_linear with `matrices` would multiply fewer than
    `steps` steps.
  }];
  let cppNamespace = "::heddle::transforms";
  let arguments = (ins TransformHandleTypeInterface:$operand_handle, I64Attr:$rows, I64Attr:$block_rows,
                       I64Attr:$bf16_rows, I64Attr:$steps);
  let assemblyFormat = [{
    $operand_handle `rows` `(` $rows `)` `block_rows` `(` $block_rows `)` `bf16_rows` `(` $bf16_rows `)`
    `steps` `(` $steps `)` attr-dict `:` type($operand_handle)
  }];
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration;
}

def Heddle_MatchRowsOp : Op<Transform_Dialect, "heddle.match_rows",
    [SingleOpMatcher, MatchOpInterface, MemoryEffectsOpInterface]> {
  let summary = "matches heddle.linear or heddle.ffn with many rows that can be cut into equal blocks";
  let description = [{
    Fails silenceably if there are fewer than `at_least` rows, if the number of rows lies in a range, or if no divisor
    of this number lies between half of `in_blocks_of` and `in_blocks_of`.
  }];
  let cppNamespace = "::heddle::transforms";
  let arguments = (ins TransformHandleTypeInterface:$operand_handle, I64Attr:$at_least,
                       ConfinedAttr<I64Attr, [IntPositive]>:$in_blocks_of);
  let assemblyFormat = [{
    $operand_handle `at_least` `(` $at_least `)` `in_blocks_of` `(` $in_blocks_of `)` attr-dict `:` type($operand_handle)
  }];
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration;
}

def Heddle_FragmentKinds :
    ConfinedAttr<TypedArrayAttrBase<Heddle_FragmentKind, "kinds of fragments">, [ArrayMinCount<1>]>;

def Heddle_MatchLinearTilesOp : Op<Transform_Dialect, "heddle.match_linear_tiles",
    [SingleOpMatcher, MatchOpInterface, MemoryEffectsOpInterface]> {
  let summary = "matches heddle.linear that lower_linear_tiles can lower, and heddle.ffn that consists of such layers";
  let description = [{
    The products must be products of one of `kinds` (kinds of fragments, such as #heddle.fma). For this kind, sums must
    have the type of the result. If factors have a narrower type, the elements of the weight must be numbers of this
    type, and so must the elements of the rows, unless the layer rounds rows to it. Rows must not be rounded to any
    other type, and there must be no outlier channels. Fails silenceably, with the reasons of all kinds, if no kind
    satisfies these conditions, if a weight is packed, or if the number of columns of the input or of a weight lies in a
    range.
  }];
  let cppNamespace = "::heddle::transforms";
  let arguments = (ins TransformHandleTypeInterface:$operand_handle, Heddle_FragmentKinds:$kinds);
  let assemblyFormat = "$operand_handle `kinds` `(` $kinds `)` attr-dict `:` type($operand_handle)";
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration;
}

def Heddle_MatchRowTilesOp : Op<Transform_Dialect, "heddle.match_row_tiles",
    [SingleOpMatcher, MatchOpInterface, MemoryEffectsOpInterface]> {
  let summary = "matches linalg.softmax, heddle.layer_norm or heddle.rms_norm that lower_row_tiles can lower";
  let description = [{
    Fails silenceably if the elements are not f32, if a row may have more than 4096 elements, if a softmax is not along
    the last dimension, or if the length of a norm's rows lies in a range.
  }];
  let cppNamespace = "::heddle::transforms";
  let arguments = (ins TransformHandleTypeInterface:$operand_handle);
  let assemblyFormat = "$operand_handle attr-dict `:` type($operand_handle)";
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration;
}

def Heddle_MatchAttentionTilesOp : Op<Transform_Dialect, "heddle.match_attention_tiles",
    [SingleOpMatcher, MatchOpInterface, MemoryEffectsOpInterface]> {
  let summary = "matches heddle.attention that lower_attention_tiles can lower with products of one of `kinds`";
  let description = [{
    Fails silenceably if no kind of `kinds` has sums of the elements' type and factors of the type to which the op rounds
    its operands (or of the elements' type, if it does not round them), if the op computes the softmax in f64, or has a
    region on the probabilities or returns them, if a shape is dynamic or empty, or if transform.heddle.lower_attention_tiles
    with the same `queries`, `keys`, `warps`, `stages`, `threads` and `kib` cannot make the block small enough.
  }];
  let cppNamespace = "::heddle::transforms";
  let arguments = (ins TransformHandleTypeInterface:$operand_handle, Heddle_FragmentKinds:$kinds, Heddle_Param:$queries,
                       Heddle_Param:$keys, Heddle_Param:$warps, Heddle_Param:$stages, Heddle_Param:$threads,
                       Heddle_Param:$kib);
  let assemblyFormat = [{
    $operand_handle `kinds` `(` $kinds `)` `block` `(` $queries `x` $keys `)` `warps` `(` $warps `)`
    `stages` `(` $stages `)` `threads` `(` $threads `)` `kib` `(` $kib `)` attr-dict `:` type($operand_handle)
  }];
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration;
}

def Heddle_MatchAttentionPartsOp : Op<Transform_Dialect, "heddle.match_attention_parts",
    [SingleOpMatcher, MatchOpInterface, MemoryEffectsOpInterface]> {
  let summary = "matches heddle.attention that lower_attention_parts can lower with products of one of `kinds`";
  let description = [{
    Matches attention with at most `at_most` queries in every call, if transform.heddle.match_attention_tiles could match
    it with these kinds, and if a workgroup of at most `threads` threads, with steps of `keys` keys and with `stages`
    buffers, can compute the queries of a head in its registers and `kib` KiB (AttentionPartPlan.h).
  }];
  let cppNamespace = "::heddle::transforms";
  let arguments = (ins TransformHandleTypeInterface:$operand_handle, Heddle_FragmentKinds:$kinds, I64Attr:$at_most,
                       Heddle_Param:$keys, Heddle_Param:$stages, Heddle_Param:$threads, Heddle_Param:$kib);
  let assemblyFormat = [{
    $operand_handle `kinds` `(` $kinds `)` `at_most` `(` $at_most `)` `keys` `(` $keys `)` `stages` `(` $stages `)`
    `threads` `(` $threads `)` `kib` `(` $kib `)` attr-dict `:` type($operand_handle)
  }];
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration;
}

def Heddle_MatchFewRowsOp : Op<Transform_Dialect, "heddle.match_few_rows",
    [SingleOpMatcher, MatchOpInterface, MemoryEffectsOpInterface]> {
  let summary = "matches heddle.linear or heddle.ffn with at most `at_most` rows";
  let description = [{
    The number of rows must be fixed, that is, it must not depend on a size that lies in a range. With `wide`, also
    fails silenceably for a heddle.linear whose rows and weight consist of numbers of the same type of 16 bits, such as
    bf16: lower_linear_tiles lowers such a layer to faster code, in which matrix instructions multiply these numbers.
  }];
  let cppNamespace = "::heddle::transforms";
  let arguments = (ins TransformHandleTypeInterface:$operand_handle, I64Attr:$at_most, UnitAttr:$wide);
  let assemblyFormat = [{
    $operand_handle `at_most` `(` $at_most `)` (`wide` $wide^)? attr-dict `:` type($operand_handle)
  }];
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration;
}

#endif // HEDDLE_TRANSFORM_MATCH_OPS_TD
