// The initial value of a sum is a constant tensor whose shape contains a size in a range (the placeholder 4001).
module attributes {heddle.sizes = [{name = "b", low = 1, high = 70, placeholder = 4001}]} {
  func.func @main(%x: tensor<4001x5x4xf32> {heddle.name = "x"}) -> (tensor<4001x4xf32> {heddle.name = "sum"}) {
    %zeros = arith.constant dense<0.0> : tensor<4001x4xf32>
    %sum = linalg.reduce { arith.addf } ins(%x : tensor<4001x5x4xf32>) outs(%zeros : tensor<4001x4xf32>) dimensions = [1]
    return %sum : tensor<4001x4xf32>
  }
}
