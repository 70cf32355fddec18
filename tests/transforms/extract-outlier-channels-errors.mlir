// RUN: heddle-opt %s --split-input-file --heddle-extract-outlier-channels --verify-diagnostics

// Compiled code does not check the indices of outlier channels and outlier rows. So the indices must be constants
// in the recipe of a weight (#heddle.numbers, a step after `via`), which this pass checks.

func.func @main(%x: tensor<5x8xf32>, %w: tensor<8x8xf32>, %c: tensor<1xi32>) -> tensor<5x8xf32> {
  // expected-error @below {{'heddle.linear' op outlier_channels must be a heddle.weight whose recipe is #heddle.numbers}}
  %0 = heddle.linear %x, %w rounding(<ui8>) outlier_channels(%c) : (tensor<5x8xf32>, tensor<8x8xf32>, tensor<1xi32>) -> tensor<5x8xf32>
  return %0 : tensor<5x8xf32>
}

// -----

func.func @main(%x: tensor<5x8xf32>) -> tensor<5x8xf32> {
  %w = heddle.weight "w" : tensor<8x8xf32>
  %c = heddle.weight "c" : tensor<1xi32>
  // expected-error @below {{'heddle.linear' op outlier_channels must be a heddle.weight whose recipe is #heddle.numbers}}
  %0 = heddle.linear %x, %w rounding(<ui8>) outlier_channels(%c) : (tensor<5x8xf32>, tensor<8x8xf32>, tensor<1xi32>) -> tensor<5x8xf32>
  return %0 : tensor<5x8xf32>
}

// -----

func.func @main(%x: tensor<5x8xf32>) -> tensor<5x8xf32> {
  %w = heddle.weight "w" : tensor<8x8xf32>
  %c = heddle.weight "w" via [#heddle.numbers<[3, 8]>] : tensor<2xi32>
  // expected-error @below {{'heddle.linear' op outlier_channels must ascend and be columns of the input, found 8}}
  %0 = heddle.linear %x, %w rounding(<ui8>) outlier_channels(%c) : (tensor<5x8xf32>, tensor<8x8xf32>, tensor<2xi32>) -> tensor<5x8xf32>
  return %0 : tensor<5x8xf32>
}

// -----

func.func @main(%x: tensor<5x8xf32>) -> tensor<5x8xf32> {
  %w = heddle.weight "w" : tensor<8x8xf32>
  %c = heddle.weight "w" via [#heddle.numbers<[3, 3]>] : tensor<2xi32>
  // expected-error @below {{'heddle.linear' op outlier_channels must ascend and be columns of the input, found 3}}
  %0 = heddle.linear %x, %w rounding(<ui8>) outlier_channels(%c) : (tensor<5x8xf32>, tensor<8x8xf32>, tensor<2xi32>) -> tensor<5x8xf32>
  return %0 : tensor<5x8xf32>
}

// -----

func.func @main(%q: tensor<8x6xi8>, %s: tensor<1x6xf32>, %e: tensor<1x6xf32>, %n: tensor<1xi32>) -> tensor<8x6xf32> {
  // expected-error @below {{'heddle.dequantize' op outlier_indices must be a heddle.weight whose recipe is #heddle.numbers}}
  %0 = heddle.dequantize %q scales(%s : tensor<1x6xf32>) outliers(%e : tensor<1x6xf32>) outlier_indices(%n : tensor<1xi32>)
     block [8, 1] : tensor<8x6xi8> -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

func.func @main(%q: tensor<8x6xi8>, %s: tensor<1x6xf32>, %e: tensor<2x6xf32>) -> tensor<8x6xf32> {
  %n = heddle.weight "w" via [#heddle.numbers<[7, 8]>] : tensor<2xi32>
  // expected-error @below {{'heddle.dequantize' op outlier_indices must be rows of the input, which has 8 rows, found 8}}
  %0 = heddle.dequantize %q scales(%s : tensor<1x6xf32>) outliers(%e : tensor<2x6xf32>) outlier_indices(%n : tensor<2xi32>)
     block [8, 1] : tensor<8x6xi8> -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

func.func @main(%q: tensor<8x6xi8>, %s: tensor<1x6xf32>, %e: tensor<1x6xf32>) -> tensor<8x6xf32> {
  %n = heddle.weight "w" via [#heddle.numbers<[-1]>] : tensor<1xi32>
  // expected-error @below {{'heddle.dequantize' op outlier_indices must be rows of the input, which has 8 rows, found -1}}
  %0 = heddle.dequantize %q scales(%s : tensor<1x6xf32>) outliers(%e : tensor<1x6xf32>) outlier_indices(%n : tensor<1xi32>)
     block [8, 1] : tensor<8x6xi8> -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}
