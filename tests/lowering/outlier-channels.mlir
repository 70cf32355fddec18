// RUN: heddle-opt %s --heddle-tile="%{avx512} strategy=linear=linear-dots" --heddle-vectorize | FileCheck %s --check-prefixes=CHECK,DOTS
// RUN: heddle-opt %s --heddle-tile="%{avx512} strategy=linear=linear-rounded-rows" --heddle-vectorize | FileCheck %s --check-prefixes=CHECK,ROWS

// Two layers share the kernel @k0, but have different outlier channels, columns that are not rounded. So the indices of
// these columns are an argument of the kernel. This argument contains first one mask word for each column, 0 for
// outlier channels and -1 for other columns, and then the indices.
// CHECK-LABEL: func.func private @k0
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8x64xf32>
// CHECK-SAME: %[[C:[a-z0-9]+]]: tensor<66xi32>
// CHECK-DAG: %[[KEPT:.*]] = tensor.extract_slice %[[C]][0] [64] [1]
// CHECK-DAG: %[[NUMBERS:.*]] = tensor.extract_slice %[[C]][64] [2] [1]
// The outlier rows of the weight have the same indices.
// ROWS-DAG: heddle.dequantize {{.*}} outlier_indices(%[[NUMBERS]] : tensor<2xi32>)
// CHECK-NOT: arith.constant dense<[
// CHECK-DAG: vector.transfer_read %[[KEPT]]
// CHECK-DAG: tensor.extract %[[NUMBERS]]
// DOTS: heddle.dot
// CHECK-NOT: linalg.
// CHECK: func.func @main
// CHECK: heddle.weight "a" via [#heddle.numbers<[3, 40]>, #heddle.kept_bits<64>] : tensor<66xi32>
// CHECK: heddle.weight "b" via [#heddle.numbers<[0, 63]>, #heddle.kept_bits<64>] : tensor<66xi32>
func.func private @k0(%x: tensor<8x64xf32>, %q: tensor<64x64xi8>, %s: tensor<1x64xf32>, %e: tensor<2x64xf32>,
                      %c: tensor<2xi32>, %out: tensor<8x64xf32> {bufferization.writable = true}) -> tensor<8x64xf32>
    attributes {heddle.kernel} {
  %w = heddle.dequantize %q scales(%s : tensor<1x64xf32>) outliers(%e : tensor<2x64xf32>) outlier_indices(%c : tensor<2xi32>)
    block [64, 1] : tensor<64x64xi8> -> tensor<64x64xf32>
  %0 = heddle.linear %x, %w rounding(<ui8>) outlier_channels(%c)
    : (tensor<8x64xf32>, tensor<64x64xf32>, tensor<2xi32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}
func.func @main(%x: tensor<8x64xf32> {bufferization.writable = false}, %one: tensor<8x64xf32>, %two: tensor<8x64xf32>)
    -> tensor<8x64xf32> {
  %qa = heddle.weight "a" via [#heddle.quantize<8, [64, 1], outliers [3, 40]>] : tensor<64x64xi8>
  %sa = heddle.weight "a" via [#heddle.scales<8, [64, 1], outliers [3, 40]>] : tensor<1x64xf32>
  %ea = heddle.weight "a" via [#heddle.take<[3, 40]>] : tensor<2x64xf32>
  %ca = heddle.weight "a" via [#heddle.numbers<[3, 40]>] : tensor<2xi32>
  %0 = call @k0(%x, %qa, %sa, %ea, %ca, %one)
    : (tensor<8x64xf32>, tensor<64x64xi8>, tensor<1x64xf32>, tensor<2x64xf32>, tensor<2xi32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  %qb = heddle.weight "b" via [#heddle.quantize<8, [64, 1], outliers [0, 63]>] : tensor<64x64xi8>
  %sb = heddle.weight "b" via [#heddle.scales<8, [64, 1], outliers [0, 63]>] : tensor<1x64xf32>
  %eb = heddle.weight "b" via [#heddle.take<[0, 63]>] : tensor<2x64xf32>
  %cb = heddle.weight "b" via [#heddle.numbers<[0, 63]>] : tensor<2xi32>
  %1 = call @k0(%0, %qb, %sb, %eb, %cb, %two)
    : (tensor<8x64xf32>, tensor<64x64xi8>, tensor<1x64xf32>, tensor<2x64xf32>, tensor<2xi32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  return %1 : tensor<8x64xf32>
}
