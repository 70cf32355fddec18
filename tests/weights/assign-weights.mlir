// RUN: heddle-opt %s --split-input-file --heddle-assign-weights | FileCheck %s

// Each weight is the result of a recipe (a list of steps, such as a transposition) on a stored tensor. Equal results
// are stored once in the block of weights, at an offset that is a multiple of 64 bytes.
// CHECK: heddle.weight_table = [{name = "a", offset = 0 : i64, recipe = [], type = tensor<3xf32>}
// CHECK-SAME: {name = "b", offset = 64 : i64, recipe = [#heddle.transpose<[1, 0]>], type = tensor<5x7xf32>}]
// CHECK-SAME: heddle.weights_size = 256
// CHECK: func.func @main(%{{.*}}: tensor<3xf32>, %{{.*}}: memref<256xi8> {heddle.weights})
// CHECK: heddle.weight "a" {heddle.offset = 0 : i64}
// CHECK: heddle.weight "b" {{.*}} {heddle.offset = 64 : i64}
// CHECK: heddle.weight "a" {heddle.offset = 0 : i64}
func.func @main(%x: tensor<3xf32>) {
  %0 = heddle.weight "a" : tensor<3xf32>
  %1 = heddle.weight "b" via [#heddle.transpose<[1, 0]>] : tensor<5x7xf32>
  %2 = heddle.weight "a" : tensor<3xf32>
  return
}

// -----
// The module has a table from the compilation for another CPU. Weights that are in the table keep their offsets, and
// other weights are appended.
// CHECK: heddle.weight_table = [{name = "a", offset = 0 : i64, recipe = [], type = tensor<3xf32>}
// CHECK-SAME: {name = "b", offset = 64 : i64, recipe = [#heddle.pack<16>], type = tensor<1x5x16xf32>}
// CHECK-SAME: {name = "b", offset = 384 : i64, recipe = [], type = tensor<5x7xf32>}]
// CHECK-SAME: heddle.weights_size = 576
// CHECK: heddle.weight "b" {{.*}} {heddle.offset = 64 : i64}
// CHECK: heddle.weight "b" {heddle.offset = 384 : i64}
module attributes {heddle.weights_size = 384 : i64, heddle.weight_table = [
    {name = "a", offset = 0 : i64, recipe = [], type = tensor<3xf32>},
    {name = "b", offset = 64 : i64, recipe = [#heddle.pack<16>], type = tensor<1x5x16xf32>}]} {
  func.func @main(%x: tensor<3xf32>) {
    %0 = heddle.weight "b" via [#heddle.pack<16>] : tensor<1x5x16xf32>
    %1 = heddle.weight "b" : tensor<5x7xf32>
    return
  }
}

// -----
// A weight whose elements are stored in another shape is reused, because the lookup ignores reshapes at the end of a
// recipe.
// CHECK: heddle.weight_table = [{name = "a", offset = 0 : i64, recipe = [], type = tensor<6xf32>}
// CHECK-SAME: {name = "b", offset = 64 : i64, recipe = [#heddle.transpose<[1, 0]>, #heddle.reshape<[35]>], type = tensor<35xf32>}
// CHECK-SAME: {name = "b", offset = 256 : i64, recipe = [#heddle.reshape<[5, 7]>], type = tensor<5x7xf32>}]
// CHECK: heddle.weight "a" via [#heddle.reshape<[2, 3]>] {heddle.offset = 0 : i64}
// CHECK: heddle.weight "b" via [#heddle.transpose<[1, 0]>] {heddle.offset = 64 : i64}
// CHECK: heddle.weight "b" via [#heddle.reshape<[5, 7]>] {heddle.offset = 256 : i64}
module attributes {heddle.weights_size = 256 : i64, heddle.weight_table = [
    {name = "a", offset = 0 : i64, recipe = [], type = tensor<6xf32>},
    {name = "b", offset = 64 : i64, recipe = [#heddle.transpose<[1, 0]>, #heddle.reshape<[35]>], type = tensor<35xf32>}]} {
  func.func @main(%x: tensor<3xf32>) {
    %0 = heddle.weight "a" via [#heddle.reshape<[2, 3]>] : tensor<2x3xf32>
    %1 = heddle.weight "b" via [#heddle.transpose<[1, 0]>] : tensor<5x7xf32>
    %2 = heddle.weight "b" via [#heddle.reshape<[5, 7]>] : tensor<5x7xf32>
    return
  }
}
