// The offset of the slice is 4 * b * s + 2 * s, a sum of multiples of two products of sizes, which is not supported.
// RUN: %python %source/tests/exit_status.py 1 heddle compile %s -o %t.o 2>&1 | FileCheck %s
// CHECK: error: the sizes of this model cannot lie in a range: the code is not the same for all sizes (@k0_task0 at line 8: a number is not a constant plus a multiple of one product of sizes)

module attributes {heddle.sizes = [{name = "b", low = 1 : i64, high = 5 : i64, placeholder = 3989 : i64},
                                   {name = "s", low = 1 : i64, high = 70 : i64, placeholder = 4001 : i64}]} {
  func.func @main(%x: tensor<3x3989x4x4001xf32>) -> tensor<3989x4001xf32> {
    %0 = tensor.extract_slice %x[1, 0, 2, 0] [1, 3989, 1, 4001] [1, 1, 1, 1]
      : tensor<3x3989x4x4001xf32> to tensor<3989x4001xf32>
    return %0 : tensor<3989x4001xf32>
  }
}
