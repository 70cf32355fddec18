//===- TransformMatchOps.td - transform ops for @match --------------------===//
//
// Each op matches one payload op and says whether a strategy is eligible for
// it; otherwise it fails silenceably with the reason.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TRANSFORM_MATCH_OPS_TD
#define HEDDLE_TRANSFORM_MATCH_OPS_TD

def Heddle_MatchHeadLanesOp : Op<Transform_Dialect, "heddle.match_head_lanes",
    [SingleOpMatcher, MatchOpInterface, MemoryEffectsOpInterface]> {
  let summary = "matches attention whose narrow heads fill vector lanes better than its queries";
  let cppNamespace = "::heddle::transforms";
  let arguments = (ins TransformHandleTypeInterface:$operand_handle, Heddle_Param:$lanes);
  let assemblyFormat = "$operand_handle `lanes` `(` $lanes `)` attr-dict `:` type($operand_handle)";
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration;
}

def Heddle_MatchQueriesOp : Op<Transform_Dialect, "heddle.match_queries",
    [SingleOpMatcher, MatchOpInterface, MemoryEffectsOpInterface]> {
  let summary = "matches attention on few queries";
  let description = [{
    If the softmax weights of all keys have to be stored, the weights of all queries must also fit into `score_kib` KiB,
    unless it is left out.
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
  let summary = "matches attention whose softmax can be computed online, block of keys after block of keys";
  let description = [{
    Fails silenceably if the softmax weights of all keys are needed at once, because they are a result or a region
    changes them.
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
    Fails silenceably if the first result has fewer bytes than `at_least`, or if its rows
    (along the last dimension) are not whole cache lines of 64 bytes.
  }];
  let cppNamespace = "::heddle::transforms";
  let arguments = (ins TransformHandleTypeInterface:$operand_handle, I64Attr:$at_least);
  let assemblyFormat = "$operand_handle `at_least` `(` $at_least `)` attr-dict `:` type($operand_handle)";
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration;
}

def Heddle_MatchRoundingOp : Op<Transform_Dialect, "heddle.match_rounding",
    [SingleOpMatcher, MatchOpInterface, MemoryEffectsOpInterface]> {
  let summary = "matches a linear layer that rounds its rows";
  let description = [{
    With `dots`, the layer must also be computable by dot products of narrow types: the weight is a constant that is
    stored in the type that rows are rounded to, either i8 with scales of columns or of blocks of columns, or bf16. With
    `absent`, matches a layer that does not round its rows.
  }];
  let cppNamespace = "::heddle::transforms";
  let arguments = (ins TransformHandleTypeInterface:$operand_handle, UnitAttr:$absent, UnitAttr:$dots);
  let assemblyFormat = "$operand_handle (`absent` $absent^)? (`dots` $dots^)? attr-dict `:` type($operand_handle)";
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration;
}

def Heddle_MatchRowsOp : Op<Transform_Dialect, "heddle.match_rows",
    [SingleOpMatcher, MatchOpInterface, MemoryEffectsOpInterface]> {
  let summary = "matches a layer with many rows that can be cut into equal blocks";
  let cppNamespace = "::heddle::transforms";
  let arguments = (ins TransformHandleTypeInterface:$operand_handle, I64Attr:$at_least, I64Attr:$in_blocks_of);
  let assemblyFormat = [{
    $operand_handle `at_least` `(` $at_least `)` `in_blocks_of` `(` $in_blocks_of `)` attr-dict `:` type($operand_handle)
  }];
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration;
}

def Heddle_MatchFewRowsOp : Op<Transform_Dialect, "heddle.match_few_rows",
    [SingleOpMatcher, MatchOpInterface, MemoryEffectsOpInterface]> {
  let summary = "matches a linear layer with few rows";
  let cppNamespace = "::heddle::transforms";
  let arguments = (ins TransformHandleTypeInterface:$operand_handle, I64Attr:$at_most);
  let assemblyFormat = "$operand_handle `at_most` `(` $at_most `)` attr-dict `:` type($operand_handle)";
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration;
}

#endif // HEDDLE_TRANSFORM_MATCH_OPS_TD
