// Linear attention with 3 queries and 5 keys. Values have 20 elements, which is not a multiple of the length of a
// vector.
func.func @kernel(%q: tensor<3x4xf32>, %k: tensor<5x4xf32>, %v: tensor<5x20xf32>, %out: memref<3x20xf32>)
    attributes {heddle.kernel} {
  %0 = heddle.linear_attention %q, %k, %v : (tensor<3x4xf32>, tensor<5x4xf32>, tensor<5x20xf32>) -> tensor<3x20xf32>
  bufferization.materialize_in_destination %0 in restrict writable %out : (tensor<3x20xf32>, memref<3x20xf32>) -> ()
  return
}
