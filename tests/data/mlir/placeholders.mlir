// A model with sizes in ranges, as `heddle import` prints it. 61 is the placeholder of rows, and 4001 of batch.
module attributes {heddle.sizes = [{high = 8 : i64, low = 1 : i64, name = "batch", placeholder = 4001 : i64},
                                   {high = 30 : i64, low = 2 : i64, name = "rows", placeholder = 61 : i64}]} {
  func.func @main(%x: tensor<4001x61x6xf32> {heddle.name = "x"}, %w: tensor<6x4xf32> {heddle.name = "w"})
      -> (tensor<4001x61x4xf32> {heddle.name = "y"}) {
    %flat = tensor.collapse_shape %x [[0, 1], [2]] : tensor<4001x61x6xf32> into tensor<244061x6xf32>
    %0 = heddle.linear %flat, %w : (tensor<244061x6xf32>, tensor<6x4xf32>) -> tensor<244061x4xf32>
    %y = tensor.expand_shape %0 [[0, 1], [2]] output_shape [4001, 61, 4] : tensor<244061x4xf32> into tensor<4001x61x4xf32>
    return %y : tensor<4001x61x4xf32>
  }
}
