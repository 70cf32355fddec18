// Attention with few queries that rounds its operands to bf16: two queries for each head. Two query heads share a key
// head. The number of keys, 130, is not a multiple of the number of keys in a step.
func.func @kernel(%q: tensor<1x4x2x8xf32>, %k: tensor<1x2x130x8xf32>, %v: tensor<1x2x130x4xf32>,
                  %out: memref<1x4x2x4xf32>) attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %v rounding(bf16)
    : (tensor<1x4x2x8xf32>, tensor<1x2x130x8xf32>, tensor<1x2x130x4xf32>) -> tensor<1x4x2x4xf32>
  bufferization.materialize_in_destination %0 in restrict writable %out : (tensor<1x4x2x4xf32>, memref<1x4x2x4xf32>) -> ()
  return
}
