// How a softmax becomes fast, in a file of one's own: four rows side by side. It began as
//   heddle strategies --show softmax-rows
// whose knobs are numbers here. `heddle bench --strategy softmax=softmax-four-rows.mlir` times it against the others.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "softmax", target = "cpu", features = [], priority = 10}
} {
  // Which kernels it is for: what fails here is why it is not eligible.
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["linalg.softmax"] : !transform.any_op
    transform.yield
  }
  // Into loops over tiles, whose bodies become vectors.
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    %rows = transform.param.constant 4 : i64 -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    %panel = transform.param.constant 16 : i64 -> !transform.param<i64>
    %registers = transform.param.constant 6 : i64 -> !transform.param<i64>
    transform.heddle.generalize %func : !transform.any_op
    %softmax = transform.structured.match ops{["linalg.softmax"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_softmax %softmax rows(%rows) : !transform.any_op
    // Layout changes and elementwise work around it.
    transform.heddle.lower_general %func lanes(%lanes) panel(%panel) registers(%registers) : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @vectorize(!transform.any_op {transform.readonly}) // that of all strategies for CPUs
}
