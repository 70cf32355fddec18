// RUN: heddle-opt %s --split-input-file --heddle-extract-outlier-channels | FileCheck %s
// RUN: heddle-opt %s --split-input-file --heddle-extract-outlier-channels --heddle-outline-kernels --canonicalize --duplicate-function-elimination \
// RUN:   | FileCheck %s --check-prefix=KERNELS

// The rounding and the weight list the indices of outlier channels in attributes. The pass replaces these lists by a
// separate constant. Layers that differ only in these indices then call the same kernel.
// CHECK-LABEL: @main
// CHECK: %[[A:.*]] = heddle.weight "a" via [#heddle.numbers<[3, 40]>] : tensor<2xi32>
// CHECK: %[[W:.*]] = heddle.dequantize %{{.*}} scales(%{{.*}} : tensor<1x64xf32>) outliers(%{{.*}} : tensor<2x64xf32>) block [64, 1] outlier_indices(%[[A]] : tensor<2xi32>) : tensor<64x64xi8>
// CHECK: heddle.linear %{{.*}}, %[[W]] rounding(<ui8>) outlier_channels(%[[A]]) :
// CHECK: %[[B:.*]] = heddle.weight "b" via [#heddle.numbers<[0, 63]>] : tensor<2xi32>
// CHECK: heddle.linear {{.*}} rounding(<ui8>) outlier_channels(%[[B]]) :
// KERNELS-LABEL: @main
// KERNELS: call @[[K:k[0-9]+]](
// KERNELS: call @[[K]](
// KERNELS: func.func private @[[K]](
// KERNELS: heddle.linear {{.*}} rounding(<ui8>) outlier_channels(
// KERNELS-NOT: func.func private
func.func @main(%x: tensor<5x64xf32>) -> tensor<5x64xf32> {
  %qa = heddle.weight "a" via [#heddle.quantize<8, [64, 1], outliers [3, 40]>] : tensor<64x64xi8>
  %sa = heddle.weight "a" via [#heddle.scales<8, [64, 1], outliers [3, 40]>] : tensor<1x64xf32>
  %ea = heddle.weight "a" via [#heddle.take<[3, 40]>] : tensor<2x64xf32>
  %wa = heddle.dequantize %qa scales(%sa : tensor<1x64xf32>) outliers(%ea : tensor<2x64xf32>) block [64, 1] outlier_rows [3, 40]
    : tensor<64x64xi8> -> tensor<64x64xf32>
  %0 = heddle.linear %x, %wa rounding(<ui8 outliers [3, 40]>) : (tensor<5x64xf32>, tensor<64x64xf32>) -> tensor<5x64xf32>
  %qb = heddle.weight "b" via [#heddle.quantize<8, [64, 1], outliers [0, 63]>] : tensor<64x64xi8>
  %sb = heddle.weight "b" via [#heddle.scales<8, [64, 1], outliers [0, 63]>] : tensor<1x64xf32>
  %eb = heddle.weight "b" via [#heddle.take<[0, 63]>] : tensor<2x64xf32>
  %wb = heddle.dequantize %qb scales(%sb : tensor<1x64xf32>) outliers(%eb : tensor<2x64xf32>) block [64, 1] outlier_rows [0, 63]
    : tensor<64x64xi8> -> tensor<64x64xf32>
  %1 = heddle.linear %0, %wb rounding(<ui8 outliers [0, 63]>) : (tensor<5x64xf32>, tensor<64x64xf32>) -> tensor<5x64xf32>
  return %1 : tensor<5x64xf32>
}

// -----

// Two layers with the same weight share the constant with the indices. If the outlier channels of one layer differ from
// the outlier rows of its weight, the attributes of the weight and of all layers that use it remain.
// CHECK-LABEL: @main
// CHECK: %[[N:.*]] = heddle.weight "a" via [#heddle.numbers<[7]>] : tensor<1xi32>
// CHECK-NOT: #heddle.numbers
// CHECK: heddle.linear {{.*}} rounding(<ui8>) outlier_channels(%[[N]]) :
// CHECK: heddle.linear {{.*}} rounding(<i8>) outlier_channels(%[[N]]) :
// CHECK: heddle.dequantize {{.*}} outlier_rows [2] :
// CHECK: heddle.linear {{.*}} rounding(<ui8 outliers[2]>) :
// CHECK: heddle.linear {{.*}} rounding(<ui8 outliers[3]>) :
// KERNELS-LABEL: @main
func.func @main(%x: tensor<5x8xf32>) -> (tensor<5x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>) {
  %qa = heddle.weight "a" via [#heddle.quantize<8, [8, 1], outliers [7]>] : tensor<8x8xi8>
  %sa = heddle.weight "a" via [#heddle.scales<8, [8, 1], outliers [7]>] : tensor<1x8xf32>
  %ea = heddle.weight "a" via [#heddle.take<[7]>] : tensor<1x8xf32>
  %wa = heddle.dequantize %qa scales(%sa : tensor<1x8xf32>) outliers(%ea : tensor<1x8xf32>) block [8, 1] outlier_rows [7]
    : tensor<8x8xi8> -> tensor<8x8xf32>
  %0 = heddle.linear %x, %wa rounding(<ui8 outliers [7]>) : (tensor<5x8xf32>, tensor<8x8xf32>) -> tensor<5x8xf32>
  %1 = heddle.linear %x, %wa rounding(<i8 outliers [7]>) : (tensor<5x8xf32>, tensor<8x8xf32>) -> tensor<5x8xf32>
  %qb = heddle.weight "b" via [#heddle.quantize<8, [8, 1], outliers [2]>] : tensor<8x8xi8>
  %sb = heddle.weight "b" via [#heddle.scales<8, [8, 1], outliers [2]>] : tensor<1x8xf32>
  %eb = heddle.weight "b" via [#heddle.take<[2]>] : tensor<1x8xf32>
  %wb = heddle.dequantize %qb scales(%sb : tensor<1x8xf32>) outliers(%eb : tensor<1x8xf32>) block [8, 1] outlier_rows [2]
    : tensor<8x8xi8> -> tensor<8x8xf32>
  %2 = heddle.linear %x, %wb rounding(<ui8 outliers [2]>) : (tensor<5x8xf32>, tensor<8x8xf32>) -> tensor<5x8xf32>
  %3 = heddle.linear %x, %wb rounding(<ui8 outliers [3]>) : (tensor<5x8xf32>, tensor<8x8xf32>) -> tensor<5x8xf32>
  return %0, %1, %2, %3 : tensor<5x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>
}

// -----

// The weight may also be in f32. If the weight is an argument, the indices cannot be stored with it, so the attribute
// remains.
// CHECK-LABEL: @main
// CHECK: %[[N:.*]] = heddle.weight "w" via [#heddle.numbers<[1]>] : tensor<1xi32>
// CHECK: heddle.linear {{.*}} rounding(<ui8>) outlier_channels(%[[N]])
// CHECK: heddle.linear {{.*}} rounding(<bf16 outliers[1]>) :
// KERNELS-LABEL: @main
func.func @main(%x: tensor<5x8xf32>, %v: tensor<8x8xf32>) -> (tensor<5x8xf32>, tensor<5x8xf32>) {
  %w = heddle.weight "w" : tensor<8x8xf32>
  %0 = heddle.linear %x, %w rounding(<ui8 outliers [1]>) : (tensor<5x8xf32>, tensor<8x8xf32>) -> tensor<5x8xf32>
  %1 = heddle.linear %x, %v rounding(<bf16 outliers [1]>) : (tensor<5x8xf32>, tensor<8x8xf32>) -> tensor<5x8xf32>
  return %0, %1 : tensor<5x8xf32>, tensor<5x8xf32>
}
