// A layer norm of long rows. Rows for which `active` is false are replaced by zeros, so they need not be computed.
#row = affine_map<(s, d) -> (s)>
#all = affine_map<(s, d) -> (s, d)>
func.func @main(%x: tensor<135x645xf32> {heddle.name = "x"}, %active: tensor<135xi1> {heddle.name = "active"},
                %scale: tensor<645xf32> {heddle.name = "scale"}, %bias: tensor<645xf32> {heddle.name = "bias"})
    -> (tensor<135x645xf32> {heddle.name = "norm"}) {
  %zero = arith.constant 0.0 : f32
  %all = heddle.layer_norm %x scale(%scale) bias(%bias)
      : (tensor<135x645xf32>, tensor<645xf32>, tensor<645xf32>) -> tensor<135x645xf32>
  %rows = tensor.empty() : tensor<135x645xf32>
  %norm = linalg.generic {indexing_maps = [#row, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%active, %all : tensor<135xi1>, tensor<135x645xf32>) outs(%rows : tensor<135x645xf32>) {
  ^bb0(%is: i1, %value: f32, %old: f32):
    %kept = arith.select %is, %value, %zero : f32
    linalg.yield %kept : f32
  } -> tensor<135x645xf32>
  return %norm : tensor<135x645xf32>
}
