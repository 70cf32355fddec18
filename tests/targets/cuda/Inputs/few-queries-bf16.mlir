// One query of 12 heads over 4096 keys. Keys and values are stored as bf16, and the attention rounds its operands to bf16.
func.func @main(%q: tensor<1x12x1x64xf32> {heddle.name = "q"}, %k: tensor<1x12x4096x64xbf16> {heddle.name = "k"},
                %v: tensor<1x12x4096x64xbf16> {heddle.name = "v"}) -> (tensor<1x12x1x64xf32> {heddle.name = "out"}) {
  %0 = heddle.dequantize %k : tensor<1x12x4096x64xbf16> -> tensor<1x12x4096x64xf32>
  %1 = heddle.dequantize %v : tensor<1x12x4096x64xbf16> -> tensor<1x12x4096x64xf32>
  %2 = heddle.attention %q, %0, %1 rounding(bf16)
    : (tensor<1x12x1x64xf32>, tensor<1x12x4096x64xf32>, tensor<1x12x4096x64xf32>) -> tensor<1x12x1x64xf32>
  return %2 : tensor<1x12x1x64xf32>
}
