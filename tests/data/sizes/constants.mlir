// Constants whose shapes depend on sizes and that must be stored in memory, because they are a result, an operand of a
// layer, or a tensor into which a slice is inserted.
module attributes {heddle.sizes = [{name = "b", low = 1 : i64, high = 5 : i64, placeholder = 3989 : i64},
                                   {name = "s", low = 1 : i64, high = 70 : i64, placeholder = 4001 : i64}]} {
  func.func @main(%x: tensor<3989x4001x8xf32>)
      -> (tensor<3989x4001xi1>, tensor<3989x4001x6xf32>, tensor<3989x4001x8xbf16>) {
    %none = arith.constant dense<false> : tensor<3989x4001xi1>
    %w = arith.constant dense<0.5> : tensor<8x6xf32>
    %ones = arith.constant dense<1.0> : tensor<3989x4001x6xf32>
    %0 = heddle.linear %x, %w residual(%ones)
      : (tensor<3989x4001x8xf32>, tensor<8x6xf32>, tensor<3989x4001x6xf32>) -> tensor<3989x4001x6xf32>
    %part = tensor.extract_slice %x[0, 0, 2] [3989, 4001, 3] [1, 1, 2]
      : tensor<3989x4001x8xf32> to tensor<3989x4001x3xf32>
    %thirds = arith.constant dense<0.33> : tensor<3989x4001x8xbf16>
    %narrow = arith.truncf %part : tensor<3989x4001x3xf32> to tensor<3989x4001x3xbf16>
    %1 = tensor.insert_slice %narrow into %thirds[0, 0, 1] [3989, 4001, 3] [1, 1, 1]
      : tensor<3989x4001x3xbf16> into tensor<3989x4001x8xbf16>
    return %none, %0, %1 : tensor<3989x4001xi1>, tensor<3989x4001x6xf32>, tensor<3989x4001x8xbf16>
  }
}
