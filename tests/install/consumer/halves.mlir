// RUN: heddle verify %s

// The model `halves` of the project in this folder.
func.func @main(%x: tensor<4xf32> {heddle.name = "x"}) -> (tensor<4xf32> {heddle.name = "y"}) {
  %half = arith.constant dense<0.5> : tensor<4xf32>
  %y = arith.mulf %x, %half : tensor<4xf32>
  return %y : tensor<4xf32>
}
