// The pass heddle-lower-precision stores the weights of layers in fewer bits and adds the attribute `rounding`, which
// defines how a layer rounds its input rows. The options of the pass select a format for all layers, for kinds of
// layers or for single weights.
// RUN: heddle-opt %s --heddle-lower-precision="precision=int8 outliers=w:1:3,onnx::up:0" | FileCheck %s --check-prefixes=ALL,INT8
// RUN: heddle-opt %s --heddle-lower-precision="precision=int8-block outliers=w:1:3,onnx::up:0" | FileCheck %s --check-prefixes=ALL,BLOCK
// RUN: heddle-opt %s --heddle-lower-precision="precision=bf16" | FileCheck %s --check-prefixes=ALL,BF16
// RUN: heddle-opt %s --heddle-lower-precision="precision=int8:ffn,bf16:linear" | FileCheck %s --check-prefixes=ALL,PARTS
// RUN: heddle-opt %s --heddle-lower-precision="precision=int8 left=w=bf16,onnx::up=f32,table=f32" | FileCheck %s --check-prefixes=ALL,LEFT
// Layers that are already rounded are not changed, and the pass heddle-recognise does not fuse them again.
// RUN: heddle-opt %s --heddle-lower-precision="precision=int8 outliers=w:1:3,onnx::up:0" --heddle-lower-precision="precision=bf16" --heddle-recognise | FileCheck %s --check-prefixes=ALL,INT8

// ALL-LABEL: @linear
// INT8-SAME: %[[X:[a-z0-9]*]]: tensor<2x64xf32>
// INT8-DAG: %[[Q:.*]] = heddle.weight "w" via [#heddle.transpose<[1, 0]>, #heddle.quantize<8, [64, 1], outliers[1, 3]>] : tensor<64x40xi8>
// INT8-DAG: %[[S:.*]] = heddle.weight "w" via [#heddle.transpose<[1, 0]>, #heddle.scales<8, [64, 1], outliers[1, 3]>] : tensor<1x40xf32>
// INT8-DAG: %[[E:.*]] = heddle.weight "w" via [#heddle.transpose<[1, 0]>, #heddle.take<[1, 3]>] : tensor<2x40xf32>
// INT8: %[[W:.*]] = heddle.dequantize %[[Q]] scales(%[[S]] : tensor<1x40xf32>) outliers(%[[E]] : tensor<2x40xf32>) block [64, 1] outlier_rows [1, 3]
// INT8: heddle.linear %[[X]], %[[W]] bias(%{{.*}}) residual(%{{.*}}) rounding(<ui8 outliers[1, 3]>)
// BLOCK-DAG: heddle.weight "w" via [#heddle.transpose<[1, 0]>, #heddle.quantize<8, [32, 1], outliers[1, 3]>] : tensor<64x40xi8>
// BLOCK-DAG: heddle.weight "w" via [#heddle.transpose<[1, 0]>, #heddle.scales<8, [32, 1], outliers[1, 3]>] : tensor<2x40xf32>
// BLOCK: heddle.linear {{.*}} rounding(<ui8 x 32 outliers[1, 3]>)
// BF16: %[[Q:.*]] = heddle.weight "w" via [#heddle.transpose<[1, 0]>, #heddle.cast<bf16>] : tensor<64x40xbf16>
// BF16: %[[W:.*]] = heddle.dequantize %[[Q]] : tensor<64x40xbf16> -> tensor<64x40xf32>
// BF16: heddle.linear %{{.*}}, %[[W]] bias(%{{.*}}) residual(%{{.*}}) rounding(<bf16>)
// PARTS: rounding(<bf16>)
// LEFT: rounding(<bf16>)
func.func @linear(%x: tensor<2x64xf32>, %b: tensor<40xf32>, %r: tensor<2x40xf32>) -> tensor<2x40xf32> {
  %w = heddle.weight "w" via [#heddle.transpose<[1, 0]>] : tensor<64x40xf32>
  %0 = heddle.linear %x, %w bias(%b) residual(%r)
    : (tensor<2x64xf32>, tensor<64x40xf32>, tensor<40xf32>, tensor<2x40xf32>) -> tensor<2x40xf32>
  return %0 : tensor<2x40xf32>
}

// A weight that is stored in blocks of 32 rows keeps its integers, and int8-block rounds all columns of the input.

// ALL-LABEL: @blocks
// INT8: heddle.linear {{.*}} : (tensor<2x64xf32>, tensor<64x40xf32>) -> tensor<2x40xf32>
// BLOCK: %[[Q:.*]] = heddle.weight "blocks" : tensor<64x40xi8>
// BLOCK: %[[W:.*]] = heddle.dequantize %[[Q]] scales(%{{.*}} : tensor<2x40xf32>) block [32, 1]
// BLOCK: heddle.linear %{{.*}}, %[[W]] rounding(<ui8 x 32>)
// BF16: heddle.linear {{.*}} : (tensor<2x64xf32>, tensor<64x40xf32>) -> tensor<2x40xf32>
func.func @blocks(%x: tensor<2x64xf32>) -> tensor<2x40xf32> {
  %q = heddle.weight "blocks" : tensor<64x40xi8>
  %s = heddle.weight "scales" : tensor<2x40xf32>
  %w = heddle.dequantize %q scales(%s : tensor<2x40xf32>) block [32, 1] : tensor<64x40xi8> -> tensor<64x40xf32>
  %0 = heddle.linear %x, %w : (tensor<2x64xf32>, tensor<64x40xf32>) -> tensor<2x40xf32>
  return %0 : tensor<2x40xf32>
}

// Minima and groups of 16 rows do not prevent int8-block, if all groups are whole.

// ALL-LABEL: @minima
// INT8: heddle.linear %{{[^ ]*}}, %{{[^ ]*}} : (tensor<2x64xf32>, tensor<64x40xf32>)
// INT8: heddle.linear %{{[^ ]*}}, %{{[^ ]*}} : (tensor<2x64xf32>, tensor<64x40xf32>)
// BLOCK: heddle.linear {{.*}} rounding(<ui8 x 32>)
// BLOCK: heddle.linear {{.*}} rounding(<ui8 x 32>)
func.func @minima(%x: tensor<2x64xf32>) -> (tensor<2x40xf32>, tensor<2x40xf32>) {
  %q = heddle.weight "minima" : tensor<64x40xi8>
  %s = heddle.weight "steps" : tensor<2x40xf32>
  %m = heddle.weight "lows" : tensor<2x40xf32>
  %w = heddle.dequantize %q scales(%s : tensor<2x40xf32>) minima(%m : tensor<2x40xf32>) block [32, 1]
    : tensor<64x40xi8> -> tensor<64x40xf32>
  %0 = heddle.linear %x, %w : (tensor<2x64xf32>, tensor<64x40xf32>) -> tensor<2x40xf32>
  %t = heddle.weight "sixteen" : tensor<4x40xf32>
  %v = heddle.dequantize %q scales(%t : tensor<4x40xf32>) block [16, 1] : tensor<64x40xi8> -> tensor<64x40xf32>
  %1 = heddle.linear %x, %v : (tensor<2x64xf32>, tensor<64x40xf32>) -> tensor<2x40xf32>
  return %0, %1 : tensor<2x40xf32>, tensor<2x40xf32>
}

// Rows stay in f32 if the last group of 16 rows, or the last group with minima, is not whole (40 is no multiple of 16),
// if the contraction is longer than the sums of columns in f32 permit, and if groups have 8 rows. Without minima, the
// last of the groups of 32 may have fewer rows.

// ALL-LABEL: @ragged
// BLOCK: heddle.linear %{{[^ ]*}}, %{{[^ ]*}} : (tensor<2x40xf32>, tensor<40x4xf32>)
// BLOCK: heddle.linear %{{[^ ]*}}, %{{[^ ]*}} : (tensor<2x40xf32>, tensor<40x4xf32>)
// BLOCK: heddle.linear %{{[^ ]*}}, %{{[^ ]*}} : (tensor<2x40xf32>, tensor<40x4xf32>)
// BLOCK: heddle.linear {{.*}} rounding(<ui8 x 32>)
func.func @ragged(%x: tensor<2x40xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %q = heddle.weight "ragged" : tensor<40x4xi8>
  %s = heddle.weight "of16" : tensor<3x4xf32>
  %a = heddle.dequantize %q scales(%s : tensor<3x4xf32>) block [16, 1] : tensor<40x4xi8> -> tensor<40x4xf32>
  %0 = heddle.linear %x, %a : (tensor<2x40xf32>, tensor<40x4xf32>) -> tensor<2x4xf32>
  %t = heddle.weight "of32" : tensor<2x4xf32>
  %m = heddle.weight "low32" : tensor<2x4xf32>
  %b = heddle.dequantize %q scales(%t : tensor<2x4xf32>) minima(%m : tensor<2x4xf32>) block [32, 1]
    : tensor<40x4xi8> -> tensor<40x4xf32>
  %1 = heddle.linear %x, %b : (tensor<2x40xf32>, tensor<40x4xf32>) -> tensor<2x4xf32>
  %e = heddle.weight "of8" : tensor<5x4xf32>
  %c = heddle.dequantize %q scales(%e : tensor<5x4xf32>) block [8, 1] : tensor<40x4xi8> -> tensor<40x4xf32>
  %2 = heddle.linear %x, %c : (tensor<2x40xf32>, tensor<40x4xf32>) -> tensor<2x4xf32>
  %d = heddle.dequantize %q scales(%t : tensor<2x4xf32>) block [32, 1] : tensor<40x4xi8> -> tensor<40x4xf32>
  %3 = heddle.linear %x, %d : (tensor<2x40xf32>, tensor<40x4xf32>) -> tensor<2x4xf32>
  return %0, %1, %2, %3 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// ALL-LABEL: @long
// BLOCK: heddle.linear %{{[^ ]*}}, %{{[^ ]*}} : (tensor<2x65824xf32>, tensor<65824x4xf32>)
// BLOCK: heddle.linear {{.*}} rounding(<ui8 x 32>)
func.func @long(%x: tensor<2x65824xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %q = heddle.weight "long" : tensor<65824x4xi8>
  %s = heddle.weight "long16" : tensor<4114x4xf32>
  %a = heddle.dequantize %q scales(%s : tensor<4114x4xf32>) block [16, 1] : tensor<65824x4xi8> -> tensor<65824x4xf32>
  %0 = heddle.linear %x, %a : (tensor<2x65824xf32>, tensor<65824x4xf32>) -> tensor<2x4xf32>
  %t = heddle.weight "long32" : tensor<2057x4xf32>
  %b = heddle.dequantize %q scales(%t : tensor<2057x4xf32>) block [32, 1] : tensor<65824x4xi8> -> tensor<65824x4xf32>
  %1 = heddle.linear %x, %b : (tensor<2x65824xf32>, tensor<65824x4xf32>) -> tensor<2x4xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<2x4xf32>
}

// A gated FFN is decomposed into linear layers. One of its three weights is already stored in bf16.

// ALL-LABEL: @gated
// INT8: heddle.weight "gate" via [#heddle.quantize<8, [24, 1]>] : tensor<24x48xi8>
// INT8: %[[GATE:.*]] = heddle.linear %{{.*}} bias(%{{.*}}) activation(silu) rounding(<ui8>)
// INT8: heddle.weight "onnx::up" via [#heddle.quantize<8, [24, 1], outliers[0]>] : tensor<24x48xi8>
// INT8: heddle.weight "onnx::up" via [#heddle.take<[0]>, #heddle.cast<f32>] : tensor<1x48xf32>
// INT8: %[[UP:.*]] = heddle.linear {{.*}} rounding(<ui8 outliers[0]>)
// INT8: %[[HIDDEN:.*]] = arith.mulf %[[GATE]], %[[UP]]
// INT8: heddle.linear %[[HIDDEN]], %{{.*}} bias(%{{.*}}) residual(%{{.*}}) rounding(<ui8>)
// BF16: %[[UP:.*]] = heddle.weight "onnx::up" : tensor<24x48xbf16>
// BF16: heddle.dequantize %[[UP]]
// PARTS: rounding(<ui8>)
// LEFT: heddle.linear {{.*}} activation(silu) rounding(<ui8>)
// LEFT: heddle.linear {{.*}} : (tensor<2x3x24xf32>, tensor<24x48xf32>) -> tensor<2x3x48xf32>
// ALL-NOT: heddle.ffn
func.func @gated(%x: tensor<2x3x24xf32>, %b: tensor<48xf32>, %c: tensor<24xf32>) -> tensor<2x3x24xf32> {
  %n = heddle.weight "onnx::up" : tensor<24x48xbf16>
  %up = heddle.dequantize %n : tensor<24x48xbf16> -> tensor<24x48xf32>
  %gate = heddle.weight "gate" : tensor<24x48xf32>
  %down = heddle.weight "down" : tensor<48x24xf32>
  %0 = heddle.ffn %x, %up, %down down_bias(%c) gate(%gate) gate_bias(%b) residual(%x) activation(silu)
    : (tensor<2x3x24xf32>, tensor<24x48xf32>, tensor<48x24xf32>, tensor<24xf32>, tensor<24x48xf32>, tensor<48xf32>,
       tensor<2x3x24xf32>) -> tensor<2x3x24xf32>
  return %0 : tensor<2x3x24xf32>
}

// An embedding table is stored with one scale for each row. If the table is also the weight of a layer, this weight is
// stored separately.

// ALL-LABEL: @tied
// INT8-DAG: %[[Q:.*]] = heddle.weight "table" via [#heddle.quantize<8, [1, 32]>] : tensor<31x16xi8>
// INT8-DAG: %[[S:.*]] = heddle.weight "table" via [#heddle.scales<8, [1, 32]>] : tensor<31x1xf32>
// INT8-DAG: %[[T:.*]] = heddle.dequantize %[[Q]] scales(%[[S]] : tensor<31x1xf32>) block [1, 32] : tensor<31x16xi8> -> tensor<31x16xf32>
// INT8: tensor.extract %[[T]]
// INT8-DAG: heddle.weight "table" via [#heddle.transpose<[1, 0]>, #heddle.quantize<8, [16, 1]>] : tensor<16x31xi8>
// BLOCK: heddle.weight "table" via [#heddle.quantize<8, [1, 32]>] : tensor<31x16xi8>
// BF16: %[[T:.*]] = heddle.weight "table" : tensor<31x16xf32>
// BF16: tensor.extract %[[T]]
// PARTS: heddle.weight "table" : tensor<31x16xf32>
// LEFT: heddle.weight "table" : tensor<31x16xf32>
#row = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @tied(%ids: tensor<5xi64>) -> tensor<5x31xf32> {
  %w = heddle.weight "table" : tensor<31x16xf32>
  %e = tensor.empty() : tensor<5x16xf32>
  %x = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<5xi64>) outs(%e : tensor<5x16xf32>) {
  ^bb0(%id: i64, %out: f32):
    %row = arith.index_cast %id : i64 to index
    %column = linalg.index 1 : index
    %number = tensor.extract %w[%row, %column] : tensor<31x16xf32>
    linalg.yield %number : f32
  } -> tensor<5x16xf32>
  %t = heddle.weight "table" via [#heddle.transpose<[1, 0]>] : tensor<16x31xf32>
  %r = heddle.linear %x, %t : (tensor<5x16xf32>, tensor<16x31xf32>) -> tensor<5x31xf32>
  return %r : tensor<5x31xf32>
}

// The pass changes none of these layers: the first has no stored weight, the second computes in f64, and the third is
// already rounded.

// ALL-LABEL: @others
// ALL: heddle.linear %{{.*}}, %{{.*}} : (tensor<2x8xf32>, tensor<8x4xf32>)
// ALL: heddle.linear %{{.*}}, %{{.*}} : (tensor<2x8xf64>, tensor<8x4xf64>)
// ALL: heddle.linear {{.*}} rounding(<i8>)
func.func @others(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>, %y: tensor<2x8xf64>)
    -> (tensor<2x4xf32>, tensor<2x4xf64>, tensor<2x4xf32>) {
  %0 = heddle.linear %x, %w : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  %v = heddle.weight "v" : tensor<8x4xf64>
  %1 = heddle.linear %y, %v : (tensor<2x8xf64>, tensor<8x4xf64>) -> tensor<2x4xf64>
  %u = heddle.weight "u" : tensor<8x4xf32>
  %2 = heddle.linear %x, %u rounding(<i8>) : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  return %0, %1, %2 : tensor<2x4xf32>, tensor<2x4xf64>, tensor<2x4xf32>
}

// Attention has no weight. With precision=bf16, the products of the first attention are in bf16. The other two are not
// changed: the softmax of the second is in f64, and the third returns its probabilities.

// ALL-LABEL: @attention
// BF16: heddle.attention {{.*}} rounding(bf16) :
// PARTS-NOT: rounding
// BF16-NOT: rounding
func.func @attention(%q: tensor<1x2x40x8xf32>) -> (tensor<1x2x40x8xf32>, tensor<1x2x40x8xf32>, tensor<1x2x40x40xf32>) {
  %0 = heddle.attention %q, %q, %q : (tensor<1x2x40x8xf32>, tensor<1x2x40x8xf32>, tensor<1x2x40x8xf32>) -> tensor<1x2x40x8xf32>
  %1 = heddle.attention %q, %q, %q softmax_precision(f64)
    : (tensor<1x2x40x8xf32>, tensor<1x2x40x8xf32>, tensor<1x2x40x8xf32>) -> tensor<1x2x40x8xf32>
  %2:2 = heddle.attention %q, %q, %q with_weights
    : (tensor<1x2x40x8xf32>, tensor<1x2x40x8xf32>, tensor<1x2x40x8xf32>) -> (tensor<1x2x40x8xf32>, tensor<1x2x40x40xf32>)
  return %0, %1, %2#1 : tensor<1x2x40x8xf32>, tensor<1x2x40x8xf32>, tensor<1x2x40x40xf32>
}
