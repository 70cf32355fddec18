// Tensors that tensor.insert_slice makes of parts. No insertion reads elements that only a later insertion defines.
module attributes {heddle.source = "insertions"} {
  func.func @main(%a: tensor<4x8xf32> {heddle.name = "a"}, %b: tensor<4x8xf32> {heddle.name = "b"},
                  %c: tensor<8x3xf32> {heddle.name = "c"})
      -> (tensor<8x8xf32> {heddle.name = "rows"}, tensor<8x11xf32> {heddle.name = "columns"},
          tensor<2x4x8xf32> {heddle.name = "reshaped"}, tensor<8x3xf32> {heddle.name = "changed"},
          tensor<8x8xf32> {heddle.name = "computed"}, tensor<8x8xf32> {heddle.name = "mixed"}) {
    // Two parts below each other.
    %0 = tensor.empty() : tensor<8x8xf32>
    %1 = tensor.insert_slice %a into %0[0, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<8x8xf32>
    %rows = tensor.insert_slice %b into %1[4, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<8x8xf32>
    // Three parts, one of which consists of two.
    %2 = tensor.empty() : tensor<8x11xf32>
    %3 = tensor.insert_slice %c into %2[0, 8] [8, 3] [1, 1] : tensor<8x3xf32> into tensor<8x11xf32>
    %4 = tensor.insert_slice %b into %3[4, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<8x11xf32>
    %columns = tensor.insert_slice %a into %4[0, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<8x11xf32>
    // A reshape between two insertions. Another tensor below begins with the same insertion, which is computed once
    // after common subexpression elimination.
    %5 = tensor.empty() : tensor<8x8xf32>
    %6 = tensor.insert_slice %b into %5[0, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<8x8xf32>
    %7 = tensor.expand_shape %6 [[0, 1], [2]] output_shape [2, 4, 8] : tensor<8x8xf32> into tensor<2x4x8xf32>
    %reshaped = tensor.insert_slice %a into %7[1, 0, 0] [1, 4, 8] [1, 1, 1] : tensor<4x8xf32> into tensor<2x4x8xf32>
    // Insertions with strides into an input, which keeps its value.
    %8 = tensor.extract_slice %a[0, 0] [4, 1] [1, 1] : tensor<4x8xf32> to tensor<4x1xf32>
    %9 = tensor.insert_slice %8 into %c[0, 1] [4, 1] [2, 1] : tensor<4x1xf32> into tensor<8x3xf32>
    %changed = tensor.insert_slice %8 into %9[1, 2] [4, 1] [2, 1] : tensor<4x1xf32> into tensor<8x3xf32>
    // A part is computed from another tensor of parts.
    %10 = tensor.extract_slice %rows[2, 0] [4, 8] [1, 1] : tensor<8x8xf32> to tensor<4x8xf32>
    %11 = arith.addf %10, %a : tensor<4x8xf32>
    %12 = tensor.empty() : tensor<8x8xf32>
    %13 = tensor.insert_slice %b into %12[0, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<8x8xf32>
    %computed = tensor.insert_slice %11 into %13[4, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<8x8xf32>
    // The result of an insertion is used elsewhere, too.
    %mixed = tensor.insert_slice %b into %rows[2, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<8x8xf32>
    return %rows, %columns, %reshaped, %changed, %computed, %mixed
        : tensor<8x8xf32>, tensor<8x11xf32>, tensor<2x4x8xf32>, tensor<8x3xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
}
