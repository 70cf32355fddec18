// The strategies for linear layers differ in whether they round the rows of the input, and in which weights they
// support. If the chosen strategy is not eligible for a layer, the error must contain the reason.
// RUN: split-file %s %t
// RUN: not heddle-opt %t/input.mlir --heddle-tile="strategy=linear=linear-packed" 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: not heddle-opt %t/input.mlir --heddle-tile="strategy=linear=linear-dots" 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: not heddle-opt %t/none.mlir --heddle-tile="strategy=linear=linear-dots" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not heddle-opt %t/blocks.mlir --heddle-tile="strategy=linear=linear-dots" 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not heddle-opt %t/parts.mlir --heddle-tile="strategy=linear=linear-dots" 2>&1 | FileCheck %s --check-prefix=PARTS
// RUN: not heddle-opt %t/minima.mlir --heddle-tile="strategy=linear=linear-dots" 2>&1 | FileCheck %s --check-prefix=PARTS
// RUN: not heddle-opt %t/exact.mlir --heddle-tile="strategy=linear=linear-dots" 2>&1 | FileCheck %s --check-prefix=EXACT
// RUN: not heddle-opt %t/numbers.mlir --heddle-tile="strategy=linear=linear-dots" 2>&1 | FileCheck %s --check-prefix=EXACT
// RUN: not heddle-opt %t/any.mlir --heddle-tile="strategy=linear=linear-rounded-rows" 2>&1 | FileCheck %s --check-prefix=ANY

// PLAIN: does not support layers that round the rows of their input
// INPUT: needs a constant weight that is stored in fewer bits
// NONE: supports only layers that round the rows of their input
// BLOCKS: needs a scale for each 4 rows of the weight or for a part of them, found a scale for each 8
// PARTS: supports minima of the weight, and several scales for the rows of a block, only if rows have blocks of unsigned integers and all groups of the weight are whole
// EXACT: needs a weight whose outlier rows have the indices of the outlier channels of the input
// ANY: needs constant outlier channels

//--- input.mlir
func.func @k0(%x: tensor<8x8xf32> {bufferization.writable = false}, %w: tensor<8x8xf32> {bufferization.writable = false},
              %out: tensor<8x8xf32> {bufferization.writable = true}) -> tensor<8x8xf32> attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w rounding(<ui8>) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
//--- none.mlir
func.func @k0(%x: tensor<8x8xf32> {bufferization.writable = false}, %w: tensor<8x8xf32> {bufferization.writable = false},
              %out: tensor<8x8xf32> {bufferization.writable = true}) -> tensor<8x8xf32> attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
//--- blocks.mlir
func.func private @k0(%x: tensor<8x8xf32>, %q: tensor<8x8xi8>, %s: tensor<1x8xf32>,
                      %out: tensor<8x8xf32> {bufferization.writable = true}) -> tensor<8x8xf32> attributes {heddle.kernel} {
  %w = heddle.dequantize %q scales(%s : tensor<1x8xf32>) block [8, 1] : tensor<8x8xi8> -> tensor<8x8xf32>
  %0 = heddle.linear %x, %w rounding(<i8 x 4>) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @main(%x: tensor<8x8xf32> {bufferization.writable = false}, %out: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %q = heddle.weight "w" via [#heddle.quantize<8, [8, 1]>] : tensor<8x8xi8>
  %s = heddle.weight "w" via [#heddle.scales<8, [8, 1]>] : tensor<1x8xf32>
  %0 = call @k0(%x, %q, %s, %out) : (tensor<8x8xf32>, tensor<8x8xi8>, tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
//--- parts.mlir
func.func private @k0(%x: tensor<8x8xf32>, %q: tensor<8x8xi8>, %s: tensor<2x8xf32>,
                      %out: tensor<8x8xf32> {bufferization.writable = true}) -> tensor<8x8xf32> attributes {heddle.kernel} {
  %w = heddle.dequantize %q scales(%s : tensor<2x8xf32>) block [4, 1] : tensor<8x8xi8> -> tensor<8x8xf32>
  %0 = heddle.linear %x, %w rounding(<i8 x 8>) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @main(%x: tensor<8x8xf32> {bufferization.writable = false}, %out: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %q = heddle.weight "w" via [#heddle.quantize<8, [4, 1]>] : tensor<8x8xi8>
  %s = heddle.weight "w" via [#heddle.scales<8, [4, 1]>] : tensor<2x8xf32>
  %0 = call @k0(%x, %q, %s, %out) : (tensor<8x8xf32>, tensor<8x8xi8>, tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
//--- minima.mlir
func.func private @k0(%x: tensor<8x8xf32>, %q: tensor<8x8xi8>, %s: tensor<1x8xf32>,
                      %out: tensor<8x8xf32> {bufferization.writable = true}) -> tensor<8x8xf32> attributes {heddle.kernel} {
  %w = heddle.dequantize %q scales(%s : tensor<1x8xf32>) minima(%s : tensor<1x8xf32>) block [8, 1] : tensor<8x8xi8> -> tensor<8x8xf32>
  %0 = heddle.linear %x, %w rounding(<i8 x 8>) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @main(%x: tensor<8x8xf32> {bufferization.writable = false}, %out: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %q = heddle.weight "w" via [#heddle.quantize<8, [8, 1]>] : tensor<8x8xi8>
  %s = heddle.weight "w" via [#heddle.scales<8, [8, 1]>] : tensor<1x8xf32>
  %0 = call @k0(%x, %q, %s, %out) : (tensor<8x8xf32>, tensor<8x8xi8>, tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
//--- exact.mlir
func.func private @k0(%x: tensor<8x8xf32>, %q: tensor<8x8xi8>, %s: tensor<1x8xf32>,
                      %out: tensor<8x8xf32> {bufferization.writable = true}) -> tensor<8x8xf32> attributes {heddle.kernel} {
  %w = heddle.dequantize %q scales(%s : tensor<1x8xf32>) block [8, 1] : tensor<8x8xi8> -> tensor<8x8xf32>
  %0 = heddle.linear %x, %w rounding(<ui8 outliers [2]>) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @main(%x: tensor<8x8xf32> {bufferization.writable = false}, %out: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %q = heddle.weight "w" via [#heddle.quantize<8, [8, 1]>] : tensor<8x8xi8>
  %s = heddle.weight "w" via [#heddle.scales<8, [8, 1]>] : tensor<1x8xf32>
  %0 = call @k0(%x, %q, %s, %out) : (tensor<8x8xf32>, tensor<8x8xi8>, tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
//--- numbers.mlir
func.func private @k0(%x: tensor<8x8xf32>, %q: tensor<8x8xi8>, %s: tensor<1x8xf32>, %c: tensor<1xi32>,
                      %out: tensor<8x8xf32> {bufferization.writable = true}) -> tensor<8x8xf32> attributes {heddle.kernel} {
  %w = heddle.dequantize %q scales(%s : tensor<1x8xf32>) block [8, 1] : tensor<8x8xi8> -> tensor<8x8xf32>
  %0 = heddle.linear %x, %w rounding(<ui8>) outlier_channels(%c)
    : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<1xi32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @main(%x: tensor<8x8xf32> {bufferization.writable = false}, %out: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %q = heddle.weight "w" via [#heddle.quantize<8, [8, 1]>] : tensor<8x8xi8>
  %s = heddle.weight "w" via [#heddle.scales<8, [8, 1]>] : tensor<1x8xf32>
  %c = heddle.weight "w" via [#heddle.numbers<[2]>] : tensor<1xi32>
  %0 = call @k0(%x, %q, %s, %c, %out)
    : (tensor<8x8xf32>, tensor<8x8xi8>, tensor<1x8xf32>, tensor<1xi32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
//--- any.mlir
func.func @k0(%x: tensor<8x8xf32> {bufferization.writable = false}, %w: tensor<8x8xf32> {bufferization.writable = false},
              %c: tensor<1xi32> {bufferization.writable = false}, %out: tensor<8x8xf32> {bufferization.writable = true})
    -> tensor<8x8xf32> attributes {heddle.kernel} {
  %0 = heddle.linear %x, %w rounding(<ui8>) outlier_channels(%c)
    : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<1xi32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
