// Attention with 128 queries and 70 keys. With blocks of 32 or 64 keys, the last block is smaller than the others.
func.func @kernel(%q: tensor<1x2x128x8xf32>, %k: tensor<1x2x70x8xf32>, %v: tensor<1x2x70x4xf32>,
                  %out: memref<1x2x128x4xf32>) attributes {heddle.kernel} {
  %0 = heddle.attention %q, %k, %v
    rounding(bf16) : (tensor<1x2x128x8xf32>, tensor<1x2x70x8xf32>, tensor<1x2x70x4xf32>) -> tensor<1x2x128x4xf32>
  bufferization.materialize_in_destination %0 in restrict writable %out : (tensor<1x2x128x4xf32>, memref<1x2x128x4xf32>) -> ()
  return
}
