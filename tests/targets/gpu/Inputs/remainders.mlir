// The quotients are up to 2^30, so quotients that are rounded to the type are off by more than one.
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
