// A wrong strategy, which heddle verify must detect. It distributes the reduction dimension of a matrix product over
// tasks, and upstream's tiling only prints a warning. Each task adds its terms to the initial value of the result, so
// the terms of other tasks are lost.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "contraction", target = "cpu", features = [], priority = 10}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    %product = transform.structured.match ops{["linalg.matmul"]} in %func : (!transform.any_op) -> !transform.any_op
    %tile, %tasks = transform.structured.tile_using_forall %product tile_sizes [0, 0, 8]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
  transform.named_sequence @vectorize(%func: !transform.any_op {transform.readonly}) {
    transform.yield
  }
}
