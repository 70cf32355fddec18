// A linear layer that rounds its 40 rows to bf16. The weight is stored in bf16.
func.func private @k0(%x: tensor<40x96xf32>, %q: tensor<96x100xbf16>, %out: tensor<40x100xf32> {bufferization.writable = true})
    -> tensor<40x100xf32> attributes {heddle.kernel} {
  %w = heddle.dequantize %q : tensor<96x100xbf16> -> tensor<96x100xf32>
  %0 = heddle.linear %x, %w rounding(<bf16>) : (tensor<40x96xf32>, tensor<96x100xf32>) -> tensor<40x100xf32>
  return %0 : tensor<40x100xf32>
}
func.func @main(%x: tensor<40x96xf32> {bufferization.writable = false}, %out: tensor<40x100xf32>) -> tensor<40x100xf32> {
  %q = heddle.weight "w" via [#heddle.cast<bf16>] : tensor<96x100xbf16>
  %0 = call @k0(%x, %q, %out) : (tensor<40x96xf32>, tensor<96x100xbf16>, tensor<40x100xf32>) -> tensor<40x100xf32>
  return %0 : tensor<40x100xf32>
}
