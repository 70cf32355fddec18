//===- TransformMatchOps.td - transform ops that @match is written with ---===//
//
// Each says of one op whether a strategy is eligible for it, and why not.
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
    Where the weights of all keys are stored, those of the queries take at most `score_kib` KiB, if that is said.
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
  let summary = "matches attention whose softmax may go along blocks of keys";
  let description = [{
    Fails silenceably where the weights of all keys are needed at once: they are a result, or
    a region changes them.
  }];
  let cppNamespace = "::heddle::transforms";
  let arguments = (ins TransformHandleTypeInterface:$operand_handle);
  let assemblyFormat = "$operand_handle attr-dict `:` type($operand_handle)";
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration;
}

def Heddle_MatchStreamsOp : Op<Transform_Dialect, "heddle.match_streams",
    [SingleOpMatcher, MatchOpInterface, MemoryEffectsOpInterface]> {
  let summary = "matches an op on rows whose result is larger than caches";
  let description = [{
    Fails silenceably where the first result has fewer bytes than `at_least`, or its rows
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
    With `dots` its weight is a constant that is stored in what rows are rounded to, so that the layer is products of
    these: i8 with scales of columns, or of blocks of these, or bf16. With `absent` a layer that rounds none.
  }];
  let cppNamespace = "::heddle::transforms";
  let arguments = (ins TransformHandleTypeInterface:$operand_handle, UnitAttr:$absent, UnitAttr:$dots);
  let assemblyFormat = "$operand_handle (`absent` $absent^)? (`dots` $dots^)? attr-dict `:` type($operand_handle)";
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration;
}

def Heddle_MatchRowsOp : Op<Transform_Dialect, "heddle.match_rows",
    [SingleOpMatcher, MatchOpInterface, MemoryEffectsOpInterface]> {
  let summary = "matches a layer of many rows that fall into equal blocks";
  let cppNamespace = "::heddle::transforms";
  let arguments = (ins TransformHandleTypeInterface:$operand_handle, I64Attr:$at_least, I64Attr:$in_blocks_of);
  let assemblyFormat = [{
    $operand_handle `at_least` `(` $at_least `)` `in_blocks_of` `(` $in_blocks_of `)` attr-dict `:` type($operand_handle)
  }];
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration;
}

def Heddle_MatchFewRowsOp : Op<Transform_Dialect, "heddle.match_few_rows",
    [SingleOpMatcher, MatchOpInterface, MemoryEffectsOpInterface]> {
  let summary = "matches a linear layer of few rows";
  let cppNamespace = "::heddle::transforms";
  let arguments = (ins TransformHandleTypeInterface:$operand_handle, I64Attr:$at_most);
  let assemblyFormat = "$operand_handle `at_most` `(` $at_most `)` attr-dict `:` type($operand_handle)";
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration;
}

#endif // HEDDLE_TRANSFORM_MATCH_OPS_TD
