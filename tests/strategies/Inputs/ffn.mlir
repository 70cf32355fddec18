// A gated feed-forward layer with 8 rows, whose input is also its residual.
func.func @k0(%x: tensor<1x8x32xf32> {bufferization.writable = false}, %up: tensor<32x48xf32> {bufferization.writable = false},
              %gate: tensor<32x48xf32> {bufferization.writable = false}, %down: tensor<48x32xf32> {bufferization.writable = false},
              %out: tensor<1x8x32xf32> {bufferization.writable = true}) -> tensor<1x8x32xf32>
    attributes {heddle.kernel} {
  %0 = heddle.ffn %x, %up, %down gate(%gate) residual(%x) activation(silu)
    : (tensor<1x8x32xf32>, tensor<32x48xf32>, tensor<48x32xf32>, tensor<32x48xf32>, tensor<1x8x32xf32>) -> tensor<1x8x32xf32>
  return %0 : tensor<1x8x32xf32>
}
