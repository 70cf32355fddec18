// A matrix product, for contraction-race.mlir, a deliberately incorrect strategy.
func.func @main(%a: tensor<5x39xf32>, %b: tensor<39x17xf32>) -> tensor<5x17xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<5x17xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<5x17xf32>) -> tensor<5x17xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x39xf32>, tensor<39x17xf32>)
                     outs(%fill : tensor<5x17xf32>) -> tensor<5x17xf32>
  return %0 : tensor<5x17xf32>
}
