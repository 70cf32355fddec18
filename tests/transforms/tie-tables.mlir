// RUN: heddle-opt %s --heddle-tie-tables --split-input-file | FileCheck %s

// An embedding table may also be, transposed, the weight of a layer, and this weight is stored in panels (neighbouring
// columns). Then the lookup reads the panels, and the table is not stored a second time. A row of the table is a column
// of the panels. With two interleaved panels, panel q is at [q mod 2, q div 2].

// CHECK-LABEL: func.func @main
// CHECK: %[[W:.*]] = heddle.weight "table" via [#heddle.transpose<[1, 0]>, #heddle.pack<16 x 2>] : tensor<2x4x8x16xf32>
// CHECK-NOT: heddle.weight "table"
// CHECK: call @lookup(%{{.*}}, %[[W]], %{{.*}})
// CHECK: call @layer(%{{.*}}, %[[W]], %{{.*}})
// CHECK-LABEL: func.func private @lookup
// CHECK-SAME: %[[T:[a-z0-9]*]]: tensor<2x4x8x16xf32>
// CHECK: %[[ROW:.*]] = arith.index_cast
// CHECK: %[[COLUMN:.*]] = linalg.index 1
// CHECK: %[[PANEL:.*]] = arith.divui %[[ROW]], %c16
// CHECK: %[[A:.*]] = arith.remui %[[PANEL]], %c2
// CHECK: %[[B:.*]] = arith.divui %[[PANEL]], %c2
// CHECK: %[[C:.*]] = arith.remui %[[ROW]], %c16
// CHECK: tensor.extract %[[T]][%[[A]], %[[B]], %[[COLUMN]], %[[C]]]
#row = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%ids: tensor<3xi64>) -> tensor<3x100xf32> {
  %table = heddle.weight "table" : tensor<100x8xf32>
  %empty = tensor.empty() : tensor<3x8xf32>
  %rows = call @lookup(%ids, %table, %empty) : (tensor<3xi64>, tensor<100x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  %panels = heddle.weight "table" via [#heddle.transpose<[1, 0]>, #heddle.pack<16 x 2>] : tensor<2x4x8x16xf32>
  %out = tensor.empty() : tensor<3x100xf32>
  %y = call @layer(%rows, %panels, %out) : (tensor<3x8xf32>, tensor<2x4x8x16xf32>, tensor<3x100xf32>) -> tensor<3x100xf32>
  return %y : tensor<3x100xf32>
}
func.func private @lookup(%ids: tensor<3xi64>, %table: tensor<100x8xf32>, %out: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %0 = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<3xi64>) outs(%out : tensor<3x8xf32>) {
  ^bb0(%id: i64, %o: f32):
    %r = arith.index_cast %id : i64 to index
    %c = linalg.index 1 : index
    %x = tensor.extract %table[%r, %c] : tensor<100x8xf32>
    linalg.yield %x : f32
  } -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}
func.func private @layer(tensor<3x8xf32>, tensor<2x4x8x16xf32>, tensor<3x100xf32>) -> tensor<3x100xf32>

// -----

// The table is stored in bf16. The panels contain pairs of neighbouring rows of the weight (depth 2) for dot products
// of bf16. The recipe of the weight, the list of steps after `via`, may convert to bf16 before or after the
// transposition.

// CHECK-LABEL: func.func @main
// CHECK: heddle.weight "table" via [#heddle.transpose<[1, 0]>, #heddle.cast<bf16>, #heddle.pack<16, depth 2>]
// CHECK-NOT: heddle.weight
// CHECK-LABEL: func.func private @lookup
// CHECK-SAME: %[[T:[a-z0-9]*]]: tensor<7x4x16x2xbf16>
// CHECK: %[[F:.*]] = heddle.dequantize %[[T]] : tensor<7x4x16x2xbf16> -> tensor<7x4x16x2xf32>
// CHECK: %[[PANEL:.*]] = arith.divui %[[ROW:.*]], %c16
// CHECK: %[[K:.*]] = arith.divui %[[COLUMN:.*]], %c2
// CHECK: %[[C:.*]] = arith.remui %[[ROW]], %c16
// CHECK: %[[D:.*]] = arith.remui %[[COLUMN]], %c2
// CHECK: tensor.extract %[[F]][%[[PANEL]], %[[K]], %[[C]], %[[D]]]
func.func @main(%row: index, %column: index) -> (f32, tensor<3x100xf32>) {
  %table = heddle.weight "table" via [#heddle.cast<bf16>] : tensor<100x8xbf16>
  %x = call @lookup(%row, %column, %table) : (index, index, tensor<100x8xbf16>) -> f32
  %panels = heddle.weight "table" via [#heddle.transpose<[1, 0]>, #heddle.cast<bf16>, #heddle.pack<16, depth 2>] : tensor<7x4x16x2xbf16>
  %y = call @layer(%panels) : (tensor<7x4x16x2xbf16>) -> tensor<3x100xf32>
  return %x, %y : f32, tensor<3x100xf32>
}
func.func private @lookup(%row: index, %column: index, %table: tensor<100x8xbf16>) -> f32 {
  %floats = heddle.dequantize %table : tensor<100x8xbf16> -> tensor<100x8xf32>
  %x = tensor.extract %floats[%row, %column] : tensor<100x8xf32>
  return %x : f32
}
func.func private @layer(tensor<7x4x16x2xbf16>) -> tensor<3x100xf32>

// -----

// The table is stored a second time if another slice of it is read, if it is also used as a whole, or if two calls
// share the kernel that reads it.

// CHECK-LABEL: func.func @main
// CHECK-DAG: heddle.weight "sliced" via [#heddle.slice<[0, 0], [50, 8]>]
// CHECK-DAG: heddle.weight "whole" : tensor<100x8xf32>
// CHECK-DAG: heddle.weight "twice" : tensor<100x8xf32>
// CHECK-COUNT-2: tensor.extract %{{.*}}[%{{.*}}, %{{.*}}] : tensor<{{50|100}}x8xf32>
func.func @main(%row: index, %column: index) -> (f32, f32, f32, f32) {
  %0 = heddle.weight "sliced" via [#heddle.slice<[0, 0], [50, 8]>] : tensor<50x8xf32>
  %1 = heddle.weight "whole" : tensor<100x8xf32>
  %2 = heddle.weight "twice" : tensor<100x8xf32>
  %p0 = heddle.weight "sliced" via [#heddle.transpose<[1, 0]>, #heddle.pack<16>] : tensor<7x8x16xf32>
  %p1 = heddle.weight "whole" via [#heddle.transpose<[1, 0]>, #heddle.pack<16>] : tensor<7x8x16xf32>
  %p2 = heddle.weight "twice" via [#heddle.transpose<[1, 0]>, #heddle.pack<16>] : tensor<7x8x16xf32>
  %y0 = call @sliced(%row, %column, %0) : (index, index, tensor<50x8xf32>) -> f32
  %y1 = call @whole(%row, %column, %1) : (index, index, tensor<100x8xf32>) -> f32
  %y2 = call @twice(%row, %column, %2) : (index, index, tensor<100x8xf32>) -> f32
  %y3 = call @twice(%row, %column, %2) : (index, index, tensor<100x8xf32>) -> f32
  call @layer(%p0) : (tensor<7x8x16xf32>) -> ()
  call @layer(%p1) : (tensor<7x8x16xf32>) -> ()
  call @layer(%p2) : (tensor<7x8x16xf32>) -> ()
  return %y0, %y1, %y2, %y3 : f32, f32, f32, f32
}
func.func private @sliced(%row: index, %column: index, %table: tensor<50x8xf32>) -> f32 {
  %x = tensor.extract %table[%row, %column] : tensor<50x8xf32>
  return %x : f32
}
func.func private @whole(%row: index, %column: index, %table: tensor<100x8xf32>) -> f32 {
  %slice = tensor.extract_slice %table[%row, 0] [1, 8] [1, 1] : tensor<100x8xf32> to tensor<8xf32>
  %x = tensor.extract %slice[%column] : tensor<8xf32>
  return %x : f32
}
func.func private @twice(%row: index, %column: index, %table: tensor<100x8xf32>) -> f32 {
  %x = tensor.extract %table[%row, %column] : tensor<100x8xf32>
  return %x : f32
}
func.func private @layer(tensor<7x8x16xf32>)
