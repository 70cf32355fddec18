// RUN: heddle verify %s --threads 2 | FileCheck %s

// Some results of @main are not computed by a kernel and must still be stored: inputs, constants, a slice of another
// result, and another result with another shape. Booleans are stored as bytes.
// CHECK-COUNT-12: : ok
// CHECK-NOT: FAIL
func.func @main(%x: tensor<4x6xf32> {heddle.name = "x"}, %m: tensor<4x6xi1> {heddle.name = "m"},
                %s: tensor<f32> {heddle.name = "s"})
    -> (tensor<4x6xf32> {heddle.name = "same"}, tensor<4x6xf32> {heddle.name = "exp"}, tensor<24xf32> {heddle.name = "exp2"},
        tensor<4x6xi1> {heddle.name = "not"}, tensor<3xf32> {heddle.name = "const"}, tensor<4x6xi1> {heddle.name = "m2"}, tensor<2x6xf32> {heddle.name = "slice"},
        tensor<f32> {heddle.name = "s2"}, tensor<3x2xi1> {heddle.name = "bools"}, tensor<4x12xf32> {heddle.name = "cat"},
        tensor<6x4xf32> {heddle.name = "tr"}, tensor<24xi1> {heddle.name = "m3"}) {
  %e = math.exp %x : tensor<4x6xf32>
  %e2 = tensor.collapse_shape %e [[0, 1]] : tensor<4x6xf32> into tensor<24xf32>
  %t = arith.constant dense<true> : tensor<4x6xi1>
  %n = arith.xori %m, %t : tensor<4x6xi1>
  %c = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %sl = tensor.extract_slice %e[1, 0] [2, 6] [1, 1] : tensor<4x6xf32> to tensor<2x6xf32>
  %s2 = arith.addf %s, %s : tensor<f32>
  %b = arith.constant dense<[[true, false], [false, false], [true, true]]> : tensor<3x2xi1>
  %cat = tensor.concat dim(1) %x, %e : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x12xf32>
  %em = tensor.empty() : tensor<6x4xf32>
  %tr = linalg.transpose ins(%x : tensor<4x6xf32>) outs(%em : tensor<6x4xf32>) permutation = [1, 0]
  %m3 = tensor.collapse_shape %n [[0, 1]] : tensor<4x6xi1> into tensor<24xi1>
  return %x, %e, %e2, %n, %c, %m, %sl, %s2, %b, %cat, %tr, %m3
    : tensor<4x6xf32>, tensor<4x6xf32>, tensor<24xf32>, tensor<4x6xi1>, tensor<3xf32>, tensor<4x6xi1>, tensor<2x6xf32>,
      tensor<f32>, tensor<3x2xi1>, tensor<4x12xf32>, tensor<6x4xf32>, tensor<24xi1>
}
