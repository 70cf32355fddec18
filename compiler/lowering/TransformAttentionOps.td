//===- TransformAttentionOps.td - transform ops that lower attention ------===//
//
// Transform ops that lower attention, and heddle.append, which writes new keys
// and values to a state. TransformOps.td includes this file.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TRANSFORM_ATTENTION_OPS_TD
#define HEDDLE_TRANSFORM_ATTENTION_OPS_TD

def Heddle_LowerAttentionOp : Heddle_LowerOp<"lower_attention", [AttrSizedOperandSegments]> {
  let summary = "expands heddle.attention into loops over blocks of queries and keys";
  let description = [{
    Makes an scf.forall over batch, heads and blocks of at most `block_q` queries. A block is padded to a multiple of
    `lanes`. With causal order or a window, the number of queries of a block is a power of two times `lanes`: `block_q`
    is rounded down to such a number or, with plain causal order, rounded up if the result is at most `block_k`. The
    number is halved further if a sequence would have few blocks. With `stored` or `in_rows`, `block_q` is not adjusted
    in these ways. The causal order is plain if nothing else removes keys or changes scores, every query sees at least
    one key, the numbers of queries and keys are fixed, and attention probabilities are not stored. The body of the
    scf.forall is a loop over blocks of at most `block_k` keys with linalg ops on slices. These ops update in place the
    scores, the running maximum and sum, and the sum of weighted values.

    Blocks of keys that causal order, window or key lengths remove are skipped, and only blocks at the edge of the
    visible keys compare positions. If the causal order is plain and the diagonal of the causal mask passes through the
    corners of blocks, a block on the diagonal is computed in steps of `lanes` keys; each step computes only the queries
    that see these keys. Keys at both ends of the sequence are skipped if a mask that is the same for all heads and
    queries removes them. With `whole`, blocks on the diagonal are not cut into steps, and masked keys at both ends are
    not skipped. The softmax is computed over all keys at once instead of online in three cases: with `stored`; if the
    op returns the attention probabilities or its region `probability` changes them; and if all keys fit into one block
    (of up to 1.5 times `block_k` without causal order, window and `in_rows`).

    `query_kib` is the maximum size of a block of queries in KiB, for targets with little memory. `score_kib` is the
    maximum size in KiB of the scores of a block of queries with all keys. It applies only if the attention
    probabilities of all keys are needed at once, because the op returns them or its region `probability` changes them.
    If `block_q` queries exceed one of these maxima, a block has fewer queries. Their number is then a power of two, and
    `lanes` is reduced to this number if it is larger.

    `in_rows` is for few queries: keys lie in lanes, and a score is a dot product along the elements of the head. A task
    computes all queries of a head, or of all heads that share a key head if these heads have at most `block_q` queries
    together. With `in_parts`, which requires `in_rows`, the keys of a head are divided into parts of one or more
    blocks. Each part is a task, and a second scf.forall joins the results in the order of the parts. If all keys are
    one block, `in_parts` has no effect. Keys and values of a state are
    prefetched into the cache of level `past_cache` (1 by default).

    If `bf16_dots` is given and not 0, attention that rounds to bf16 multiplies pairs of bf16 (heddle.pair_dot). A task
    whose result is not finite is computed again, with checks that skip removed keys. In this second computation, and
    with `in_rows`, the rounded numbers are multiplied in f32.

    #### Return modes
    A definite failure for a target that is not heddle.attention, or that has a dynamic or empty dimension or elements
    other than f32 and f64. Also a definite failure in these cases: `in_parts` is given without `in_rows`; with
    `in_rows`, the number of queries lies in a range, or all keys are one block and their number lies in a range; or the
    kernel contains another op with sizes in ranges that cannot be lowered.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$lanes, Heddle_Param:$block_q,
    Optional<Heddle_Param>:$block_k, UnitAttr:$stored, UnitAttr:$in_rows, UnitAttr:$in_parts,
    UnitAttr:$whole, Optional<Heddle_Param>:$query_kib, Optional<Heddle_Param>:$score_kib,
    Optional<Heddle_Param>:$past_cache, Optional<Heddle_Param>:$bf16_dots);
  let assemblyFormat = [{
    $target `lanes` `(` $lanes `)` `block_q` `(` $block_q `)` (`block_k` `(` $block_k^ `)`)? (`stored` $stored^)?
    (`in_rows` $in_rows^)? (`in_parts` $in_parts^)? (`whole` $whole^)?
    (`query_kib` `(` $query_kib^ `)`)? (`score_kib` `(` $score_kib^ `)`)? (`past_cache` `(` $past_cache^ `)`)?
    (`bf16_dots` `(` $bf16_dots^ `)`)? attr-dict `:` type($target)
  }];
}

def Heddle_LowerAttentionHeadsOp : Heddle_LowerOp<"lower_attention_heads"> {
  let summary = "lowers heddle.attention with narrow heads to tasks that have a query of one head in each lane";
  let description = [{
    Makes an scf.forall over batch and blocks of queries. Its body is a heddle.attention with an annotation, which
    transform.heddle.vectorize expands into code that transposes keys and values [heads][D] to [D][heads], and then
    loops over queries. Each step of the loop computes as many queries as fit into two vectors of `lanes` elements. All
    keys are one block, and attention probabilities are not stored.

    #### Return modes
    A definite failure for a target that is not heddle.attention or that match_head_lanes does not match.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$lanes);
  let assemblyFormat = "$target `lanes` `(` $lanes `)` attr-dict `:` type($target)";
}

def Heddle_LowerLinearAttentionOp : Heddle_LowerOp<"lower_linear_attention"> {
  let summary = "expands heddle.linear_attention into two contractions per head";
  let description = [{
    Makes an scf.forall over the leading dimensions. Each task computes the [D, Dv] matrix f(key)^T value, where f is
    the feature map, and multiplies scale x f(query) by this matrix. The divisors of a normalized result are computed in
    the same way, from a matrix of `lanes` equal columns, each of which is the sum of f(key) over all keys.

    `block_kib` is for targets with little memory. If it is given, the scf.forall is also over groups of columns of the
    values. A task's matrix then has at most as many columns as fit into `block_kib` KiB of f32, and a block of rows in
    the task's loops has as many rows as fit into `block_kib` KiB; both have at least one.

    #### Return modes
    A definite failure for a target that is not heddle.linear_attention, or that has a dynamic or empty dimension or
    elements other than f32 and f64.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$lanes, Optional<Heddle_Param>:$block_kib);
  let assemblyFormat = [{
    $target `lanes` `(` $lanes `)` (`block_kib` `(` $block_kib^ `)`)? attr-dict `:` type($target)
  }];
}

def Heddle_LowerRecurrentAttentionOp : Heddle_LowerOp<"lower_recurrent_attention"> {
  let summary = "expands heddle.recurrent_attention into a loop over positions per head";
  let description = [{
    Makes an scf.forall over batch, heads and groups of columns of the values. A group has at most as many columns of
    the state as fit into `state_kib` KiB of f32, but at least one. The body of the scf.forall is a loop over the
    positions that carries these columns of the state.

    #### Return modes
    A definite failure for a target that is not heddle.recurrent_attention, or that has a dynamic or empty dimension or
    elements other than f32 and f64.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, Heddle_Param:$state_kib);
  let assemblyFormat = "$target `state_kib` `(` $state_kib `)` attr-dict `:` type($target)";
}

def Heddle_LowerAppendOp : Heddle_LowerOp<"lower_append"> {
  let summary = "expands heddle.append into copies of the new rows, with a task for each head";
  let description = [{
    Makes an scf.forall over batch and heads, whose outputs are the state and, if the state has scales, the scales. In
    each task, a loop over the new rows writes each row to its position. Elements are converted to the state's type, or
    rounded to integers with a scale for each row. Other rows of the state are copied only if the kernel may not write
    to the state.

    With `elements`, each iteration of the scf.forall writes one element of the new rows, or, if the kernel may not
    write to the state, one element of the result.

    #### Return modes
    A definite failure for a target that is not heddle.append or has dynamic sizes and, with `elements`, for rows with
    scales.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, UnitAttr:$elements);
  let assemblyFormat = "$target (`elements` $elements^)? attr-dict `:` type($target)";
}

#endif // HEDDLE_TRANSFORM_ATTENTION_OPS_TD
