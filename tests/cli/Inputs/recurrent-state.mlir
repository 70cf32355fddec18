// Attention as a recurrence. Each call reads the whole state that the previous call wrote, and replaces all of it.
// (Other states keep the rows of earlier calls, and each call appends rows.)
func.func @main(
    %q: tensor<?x?x4x16xf32> {heddle.name = "q", heddle.dims = ["batch_size", "sequence_length", "", ""]},
    %k: tensor<?x?x2x16xf32> {heddle.name = "k", heddle.dims = ["batch_size", "sequence_length", "", ""]},
    %v: tensor<?x?x2x8xf32> {heddle.name = "v", heddle.dims = ["batch_size", "sequence_length", "", ""]},
    %past: tensor<?xi64> {heddle.name = "past", heddle.dims = ["batch_size"], heddle.state_past},
    %state: tensor<?x2x16x8xf32> {heddle.state = "memory", heddle.dims = ["batch_size", "", "", ""]})
    -> (tensor<?x?x4x8xf32> {heddle.name = "out"}, tensor<?x2x16x8xf32> {heddle.state = "memory"}) {
  %small = arith.constant 0.0625 : f32
  %keys = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>],
                          iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%k : tensor<?x?x2x16xf32>) outs(%k : tensor<?x?x2x16xf32>) {
  ^bb0(%x: f32, %ignored: f32):
    %y = arith.mulf %x, %small : f32
    linalg.yield %y : f32
  } -> tensor<?x?x2x16xf32>
  %0:2 = heddle.recurrent_attention %q, %keys, %v state(%state)
      : (tensor<?x?x4x16xf32>, tensor<?x?x2x16xf32>, tensor<?x?x2x8xf32>, tensor<?x2x16x8xf32>)
        -> (tensor<?x?x4x8xf32>, tensor<?x2x16x8xf32>)
  return %0#0, %0#1 : tensor<?x?x4x8xf32>, tensor<?x2x16x8xf32>
}
