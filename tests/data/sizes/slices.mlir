// Slices and an insertion whose offset in memory is a number plus a multiple of a product of sizes: columns of one of
// three stacked tensors, and slices with strides.
module attributes {heddle.sizes = [{name = "b", low = 1 : i64, high = 5 : i64, placeholder = 3989 : i64},
                                   {name = "s", low = 1 : i64, high = 70 : i64, placeholder = 4001 : i64}]} {
  func.func @main(%x: tensor<3x3989x4001x9xf32>, %y: tensor<3989x4x4001x6xf32>)
      -> (tensor<3989x4001x4xf32>, tensor<3989x2x4001x3xf32>, tensor<3989x4x4001x6xf32>) {
    %0 = tensor.extract_slice %x[1, 0, 0, 3] [1, 3989, 4001, 4] [1, 1, 1, 1]
      : tensor<3x3989x4001x9xf32> to tensor<3989x4001x4xf32>
    %1 = tensor.extract_slice %y[0, 2, 0, 1] [3989, 2, 4001, 3] [1, 1, 1, 2]
      : tensor<3989x4x4001x6xf32> to tensor<3989x2x4001x3xf32>
    %2 = tensor.insert_slice %1 into %y[0, 1, 0, 2] [3989, 2, 4001, 3] [1, 1, 1, 1]
      : tensor<3989x2x4001x3xf32> into tensor<3989x4x4001x6xf32>
    return %0, %1, %2 : tensor<3989x4001x4xf32>, tensor<3989x2x4001x3xf32>, tensor<3989x4x4001x6xf32>
  }
}
