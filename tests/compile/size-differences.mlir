// Sizes in ranges are represented by placeholders. A model is compiled with several sets of placeholders, and the
// modules may differ only in numbers of the form constant + multiple of one product of sizes. Here, the offset of a
// slice is row * columns + column. This is a sum of two products of sizes, so compilation must fail with a message.
// RUN: %python %source/tests/exit_status.py 1 heddle compile %s --dim rows=9..20 --dim columns=9..20 --dim row=1..5 --dim column=1..5 -o %t.o 2>&1 | FileCheck %s
// CHECK: error: the sizes of this model cannot lie in a range: the code is not the same for all sizes (@{{.*}}: a number is not a constant plus a multiple of one product of sizes)

func.func @main(%x: tensor<?x?xf32> {heddle.dims = ["rows", "columns"]}, %y: tensor<?x?xf32> {heddle.dims = ["row", "column"]})
    -> (tensor<2x2xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %row = tensor.dim %y, %c0 : tensor<?x?xf32>
  %column = tensor.dim %y, %c1 : tensor<?x?xf32>
  %0 = tensor.extract_slice %x[%row, %column] [2, 2] [1, 1] : tensor<?x?xf32> to tensor<2x2xf32>
  %1 = math.absf %0 : tensor<2x2xf32>
  %2 = math.absf %y : tensor<?x?xf32>
  return %1, %2 : tensor<2x2xf32>, tensor<?x?xf32>
}
