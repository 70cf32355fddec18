// A user's own strategy for softmax. It computes four rows at the same time. It is the strategy that
//
//   heddle strategies --show softmax-rows
//
// prints, with numbers in place of the knobs (the parameters whose values `--tune` tries). `heddle bench --strategy
// softmax=softmax-four-rows.mlir` compares its speed with that of the other strategies.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "softmax", target = "cpu", features = [], priority = 10}
} {
  // Selects the kernels that the strategy can lower. If the sequence fails for a kernel, the strategy is not eligible
  // for this kernel, and the error message is given as the reason.
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["linalg.softmax"] : !transform.any_op
    transform.yield
  }
  // Creates loops over tiles, whose bodies become vectors.
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // The numbers of rows that are computed together, of elements of a vector, of columns of a panel, and of
    // accumulators of a tile. The last three are for operations around the softmax.
    %rows = transform.param.constant 4 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    %panel = transform.param.constant 16 : i64 -> !transform.param<i64>
    %registers = transform.param.constant 6 : i64 -> !transform.param<i64>
    transform.heddle.generalize %func : !transform.any_op
    %softmax = transform.structured.match ops{["linalg.softmax"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_softmax %softmax rows(%rows) : !transform.any_op
    // Lowers layout changes and elementwise operations around the softmax.
    transform.heddle.lower_general %func lanes(%lanes) panel(%panel) registers(%registers) : !transform.any_op
    transform.yield
  }
  // This declaration refers to the implementation that all CPU strategies share.
  transform.named_sequence private @vectorize(!transform.any_op {transform.readonly})
}
