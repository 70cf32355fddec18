// Recurrent attention with a decay and beta, over 7 positions. Two query heads share each of the two key heads. The
// second result is the last state.
func.func @kernel(%q: tensor<2x7x4x8xf32>, %k: tensor<2x7x2x8xf32>, %v: tensor<2x7x2x20xf32>, %g: tensor<2x7x2x8xf32>,
                  %b: tensor<2x7x2x1xf32>, %out: memref<2x7x4x20xf32>, %last: memref<2x2x8x20xf32>)
    attributes {heddle.kernel} {
  %0:2 = heddle.recurrent_attention %q, %k, %v decay(%g) beta(%b) scale(0.5)
     : (tensor<2x7x4x8xf32>, tensor<2x7x2x8xf32>, tensor<2x7x2x20xf32>, tensor<2x7x2x8xf32>, tensor<2x7x2x1xf32>)
    -> (tensor<2x7x4x20xf32>, tensor<2x2x8x20xf32>)
  bufferization.materialize_in_destination %0#0 in restrict writable %out : (tensor<2x7x4x20xf32>, memref<2x7x4x20xf32>) -> ()
  bufferization.materialize_in_destination %0#1 in restrict writable %last : (tensor<2x2x8x20xf32>, memref<2x2x8x20xf32>) -> ()
  return
}
