// Functions that Heddle or MLIR expands into arithmetic.
func.func @main(%x: tensor<7x37xf32> {heddle.name = "x"}, %y: tensor<7x37xf32> {heddle.name = "y"}) -> (
    tensor<7x37xf32> {heddle.name = "sin"},
    tensor<7x37xf32> {heddle.name = "cos"},
    tensor<7x37xf32> {heddle.name = "tan"},
    tensor<7x37xf32> {heddle.name = "asin"},
    tensor<7x37xf32> {heddle.name = "acos"},
    tensor<7x37xf32> {heddle.name = "atan"},
    tensor<7x37xf32> {heddle.name = "sinh"},
    tensor<7x37xf32> {heddle.name = "cosh"},
    tensor<7x37xf32> {heddle.name = "asinh"},
    tensor<7x37xf32> {heddle.name = "acosh"},
    tensor<7x37xf32> {heddle.name = "atanh"},
    tensor<7x37xf32> {heddle.name = "cbrt"},
    tensor<7x37xf32> {heddle.name = "log2"},
    tensor<7x37xf32> {heddle.name = "log10"},
    tensor<7x37xf32> {heddle.name = "exp2"},
    tensor<7x37xf32> {heddle.name = "pow"}) {
  %sin = math.sin %x : tensor<7x37xf32>
  %cos = math.cos %x : tensor<7x37xf32>
  %tan = math.tan %x : tensor<7x37xf32>
  %asin = math.asin %x : tensor<7x37xf32>
  %acos = math.acos %x : tensor<7x37xf32>
  %atan = math.atan %x : tensor<7x37xf32>
  %sinh = math.sinh %x : tensor<7x37xf32>
  %cosh = math.cosh %x : tensor<7x37xf32>
  %asinh = math.asinh %x : tensor<7x37xf32>
  %acosh = math.acosh %x : tensor<7x37xf32>
  %atanh = math.atanh %x : tensor<7x37xf32>
  %cbrt = math.cbrt %x : tensor<7x37xf32>
  %log2 = math.log2 %x : tensor<7x37xf32>
  %log10 = math.log10 %x : tensor<7x37xf32>
  %exp2 = math.exp2 %x : tensor<7x37xf32>
  %pow = math.powf %x, %y : tensor<7x37xf32>
  return %sin, %cos, %tan, %asin, %acos, %atan, %sinh, %cosh, %asinh, %acosh, %atanh, %cbrt, %log2, %log10, %exp2, %pow :
    tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>, tensor<7x37xf32>
}
