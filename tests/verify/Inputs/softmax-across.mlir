// A wrong strategy, which heddle verify must detect. It tiles a softmax along the dimension that the softmax
// normalizes, and upstream's tiling accepts this. Each tile of a row becomes a softmax of its own, so the result is
// wrong.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "softmax", target = "cpu", features = [], priority = 10}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["linalg.softmax"] : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    %softmax = transform.structured.match ops{["linalg.softmax"]} in %func : (!transform.any_op) -> !transform.any_op
    %tile, %loop = transform.structured.tile_using_for %softmax tile_sizes [0, 8]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %parts = transform.structured.decompose_interface %tile : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
  transform.named_sequence @vectorize(%func: !transform.any_op {transform.readonly}) {
    transform.yield
  }
}
