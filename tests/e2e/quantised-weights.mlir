// The library contains quantised weights as bytes, even if a lookup or an f32 layer reads them. The file of the library
// has at most 800000 bytes, whereas the weights would have 2.3 MB in f32.
// RUN: rm -rf %t && mkdir %t && cp %s %t/model.mlir
// RUN: %python %source/tests/write_tensors.py %t/weights.safetensors q=I8:512x512 s=F32:16x512 t=I8:600x512 r=F32:600x1
// RUN: heddle verify %t/model.mlir --stages | FileCheck %s --implicit-check-not=FAIL
// RUN: heddle verify %t/model.mlir --mcpu x86-64-v3 | FileCheck %s --check-prefix=OUT --implicit-check-not=FAIL
// RUN: heddle compile %t/model.mlir -o %t/model.so
// RUN: %python -c "import os, sys; sys.exit(os.path.getsize(sys.argv[1]) > 800000)" %t/model.so
// CHECK: main after loops: {{.*}}: ok
// OUT: out{{.*}}: ok
module attributes {heddle.weight_files = ["weights.safetensors"]} {
func.func @main(%ids: tensor<7xi64> {heddle.name = "ids"}) -> (tensor<7x512xf32> {heddle.name = "out"}) {
  %t = heddle.weight "t" : tensor<600x512xi8>
  %r = heddle.weight "r" : tensor<600x1xf32>
  %table = heddle.dequantize %t scales(%r : tensor<600x1xf32>) block [1, 512] : tensor<600x512xi8> -> tensor<600x512xf32>
  %inside = heddle.checked_index %ids of 600 : tensor<7xi64>
  %empty = tensor.empty() : tensor<7x512xf32>
  %rows = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%inside : tensor<7xi64>) outs(%empty : tensor<7x512xf32>) {
  ^bb0(%place: i64, %out: f32):
    %row = arith.index_cast %place : i64 to index
    %column = linalg.index 1 : index
    %element = tensor.extract %table[%row, %column] : tensor<600x512xf32>
    linalg.yield %element : f32
  } -> tensor<7x512xf32>
  %q = heddle.weight "q" : tensor<512x512xi8>
  %s = heddle.weight "s" : tensor<16x512xf32>
  %w = heddle.dequantize %q scales(%s : tensor<16x512xf32>) block [32, 1] : tensor<512x512xi8> -> tensor<512x512xf32>
  %y = heddle.linear %rows, %w : (tensor<7x512xf32>, tensor<512x512xf32>) -> tensor<7x512xf32>
  return %y : tensor<7x512xf32>
}
}
