// heddle.checked_index in an .mlir file: indices are not clamped, and a call with an index out of range fails.
// RUN: heddle verify %s --stages | FileCheck %s --implicit-check-not=FAIL
// RUN: heddle import %s 2>&1 | FileCheck %s --check-prefix=IMPORT
// RUN: %python %source/tests/write_tensors.py %t.safetensors table=F32:2x3 places=I64:5
// RUN: %python %source/tests/exit_status.py 1 heddle run %s --input %t.safetensors --output %t.out 2>&1 | FileCheck %s --check-prefix=CODE
// RUN: %python %source/tests/exit_status.py 1 heddle run %s --input %t.safetensors --output %t.out --interpret 2>&1 | FileCheck %s --check-prefix=INTERPRET
// CHECK: main after loops: {{.*}}: ok
// IMPORT: heddle.checked_index
// IMPORT-NOT: arith.minsi
// CODE: an index, given or computed, is outside its range
// INTERPRET: computes index 2, which is out of range for an extent of 2
func.func @main(%table: tensor<2x3xf32> {heddle.name = "table"}, %places: tensor<5xi64> {heddle.name = "places"}) -> tensor<5x3xf32> {
  %inside = heddle.checked_index %places of 2 : tensor<5xi64>
  %empty = tensor.empty() : tensor<5x3xf32>
  %rows = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%inside : tensor<5xi64>) outs(%empty : tensor<5x3xf32>) {
  ^bb0(%place: i64, %out: f32):
    %row = arith.index_cast %place : i64 to index
    %column = linalg.index 1 : index
    %element = tensor.extract %table[%row, %column] : tensor<2x3xf32>
    linalg.yield %element : f32
  } -> tensor<5x3xf32>
  return %rows : tensor<5x3xf32>
}
