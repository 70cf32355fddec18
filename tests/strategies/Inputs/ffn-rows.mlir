// A gated feed-forward layer with a residual, applied to 256 rows.
func.func private @k0(%x: tensor<2x128x64xf32>, %up: tensor<64x96xf32>, %gate: tensor<64x96xf32>, %down: tensor<96x48xf32>,
                      %residual: tensor<2x128x48xf32>, %out: tensor<2x128x48xf32> {bufferization.writable = true}) -> tensor<2x128x48xf32>
    attributes {heddle.kernel} {
  %0 = heddle.ffn %x, %up, %down gate(%gate) residual(%residual) activation(silu)
    : (tensor<2x128x64xf32>, tensor<64x96xf32>, tensor<96x48xf32>, tensor<64x96xf32>, tensor<2x128x48xf32>) -> tensor<2x128x48xf32>
  return %0 : tensor<2x128x48xf32>
}
func.func @main(%x: tensor<2x128x64xf32> {bufferization.writable = false}, %r: tensor<2x128x48xf32> {bufferization.writable = false},
                %out: tensor<2x128x48xf32>) -> tensor<2x128x48xf32> {
  %up = heddle.weight "up" : tensor<64x96xf32>
  %gate = heddle.weight "gate" : tensor<64x96xf32>
  %down = heddle.weight "down" : tensor<96x48xf32>
  %0 = call @k0(%x, %up, %gate, %down, %r, %out) : (tensor<2x128x64xf32>, tensor<64x96xf32>, tensor<64x96xf32>, tensor<96x48xf32>, tensor<2x128x48xf32>, tensor<2x128x48xf32>) -> tensor<2x128x48xf32>
  return %0 : tensor<2x128x48xf32>
}
