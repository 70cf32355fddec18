// The dividends are multiplied by 2^30 (f32) and 2^300 (f64), so quotients have more bits than a mantissa. A remainder
// that is computed from a rounded quotient is wrong.
func.func @main(%x: tensor<5x16xf32> {heddle.name = "x"}, %y: tensor<5x16xf32> {heddle.name = "y"},
                %u: tensor<5x16xf64> {heddle.name = "u"}, %v: tensor<5x16xf64> {heddle.name = "v"})
    -> (tensor<5x16xf32> {heddle.name = "single"}, tensor<5x16xf64> {heddle.name = "double"}) {
  %large = arith.constant dense<1073741824.0> : tensor<5x16xf32>
  %larger = arith.constant dense<2037035976334486086268445688409378161051468393665936250636140449354381299763336706183397376.0> : tensor<5x16xf64>
  %a = arith.mulf %x, %large : tensor<5x16xf32>
  %b = arith.remf %a, %y : tensor<5x16xf32>
  %c = arith.mulf %u, %larger : tensor<5x16xf64>
  %d = arith.remf %c, %v : tensor<5x16xf64>
  return %b, %d : tensor<5x16xf32>, tensor<5x16xf64>
}
