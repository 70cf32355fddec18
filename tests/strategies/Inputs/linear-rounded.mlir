// A linear layer that rounds the 20 rows of its input to unsigned bytes, except for columns 3 and 40, the outlier
// channels. The weight is stored in i8, except for rows 3 and 40.
func.func private @k0(%x: tensor<20x64xf32>, %q: tensor<64x100xi8>, %s: tensor<1x100xf32>, %e: tensor<2x100xf32>,
                      %bias: tensor<100xf32>, %out: tensor<20x100xf32> {bufferization.writable = true}) -> tensor<20x100xf32>
    attributes {heddle.kernel} {
  %w = heddle.dequantize %q scales(%s : tensor<1x100xf32>) outliers(%e : tensor<2x100xf32>) block [64, 1] outlier_rows [3, 40]
    : tensor<64x100xi8> -> tensor<64x100xf32>
  %0 = heddle.linear %x, %w bias(%bias) activation(gelu) rounding(<ui8 outliers [3, 40]>)
    : (tensor<20x64xf32>, tensor<64x100xf32>, tensor<100xf32>) -> tensor<20x100xf32>
  return %0 : tensor<20x100xf32>
}
func.func @main(%x: tensor<20x64xf32> {bufferization.writable = false}, %out: tensor<20x100xf32>) -> tensor<20x100xf32> {
  %q = heddle.weight "w" via [#heddle.quantize<8, [64, 1], outliers [3, 40]>] : tensor<64x100xi8>
  %s = heddle.weight "w" via [#heddle.scales<8, [64, 1], outliers [3, 40]>] : tensor<1x100xf32>
  %e = heddle.weight "w" via [#heddle.take<[3, 40]>] : tensor<2x100xf32>
  %b = heddle.weight "b" : tensor<100xf32>
  %0 = call @k0(%x, %q, %s, %e, %b, %out)
    : (tensor<20x64xf32>, tensor<64x100xi8>, tensor<1x100xf32>, tensor<2x100xf32>, tensor<100xf32>, tensor<20x100xf32>)
    -> tensor<20x100xf32>
  return %0 : tensor<20x100xf32>
}
