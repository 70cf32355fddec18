// Each function violates one constraint of heddle.dequantize. Its name begins with the label of the constraint in
// ops/Dequantize.td.
// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{'heddle.dequantize' op result has element type 'f16', expected floats wider than 'f32' (C1)}}
  %0 = heddle.dequantize %x : tensor<3xf32> -> tensor<3xf16>
  return
}

// -----
func.func @c1_same(%x: tensor<3xf16>) {
  // expected-error@+1 {{'heddle.dequantize' op result has element type 'bf16', expected floats wider than 'f16' (C1)}}
  %0 = heddle.dequantize %x : tensor<3xf16> -> tensor<3xbf16>
  return
}

// -----
func.func @c1_integers_have_scales(%x: tensor<3xi8>) {
  // expected-error@+1 {{'heddle.dequantize' op result has element type 'f32', expected floats wider than 'i8' (C1)}}
  %0 = heddle.dequantize %x : tensor<3xi8> -> tensor<3xf32>
  return
}

// -----
func.func @c1_floats_have_none(%x: tensor<3xbf16>, %s: tensor<1xf32>) {
  // expected-error@+1 {{'heddle.dequantize' op only inputs of integers have scales, this input has elements of type 'bf16' (C1)}}
  %0 = heddle.dequantize %x scales(%s : tensor<1xf32>) block [3] : tensor<3xbf16> -> tensor<3xf32>
  return
}

// -----
func.func @c2_block(%x: tensor<4x6xi8>, %s: tensor<1x6xf32>) {
  // expected-error@+1 {{'heddle.dequantize' op block must have a number of at least 1 for each of 2 dimensions (C2)}}
  %0 = heddle.dequantize %x scales(%s : tensor<1x6xf32>) block [4] : tensor<4x6xi8> -> tensor<4x6xf32>
  return
}

// -----
func.func @c2_scales(%x: tensor<5x6xi8>, %s: tensor<1x6xf32>) {
  // expected-error@+1 {{'heddle.dequantize' op scales has shape [1, 6], expected [2, 6] (C2)}}
  %0 = heddle.dequantize %x scales(%s : tensor<1x6xf32>) block [4, 1] : tensor<5x6xi8> -> tensor<5x6xf32>
  return
}

// -----
func.func @c3_rows(%x: tensor<4x6xi8>, %s: tensor<1x6xf32>, %e: tensor<2x6xf32>) {
  // expected-error@+1 {{'heddle.dequantize' op outlier_rows must ascend and be rows of the input (C3)}}
  %0 = heddle.dequantize %x scales(%s : tensor<1x6xf32>) outliers(%e : tensor<2x6xf32>) block [4, 1] outlier_rows [3, 1] : tensor<4x6xi8> -> tensor<4x6xf32>
  return
}

// -----
func.func @c3_shape(%x: tensor<4x6xi8>, %s: tensor<1x6xf32>, %e: tensor<2x6xf32>) {
  // expected-error@+1 {{'heddle.dequantize' op outliers has shape [2, 6], expected [1, 6] (C3)}}
  %0 = heddle.dequantize %x scales(%s : tensor<1x6xf32>) outliers(%e : tensor<2x6xf32>) block [4, 1] outlier_rows [3] : tensor<4x6xi8> -> tensor<4x6xf32>
  return
}

// -----
func.func @c3_numbers(%x: tensor<4x6xi8>, %s: tensor<1x6xf32>, %e: tensor<2x6xf32>, %n: tensor<1xi32>) {
  // expected-error@+1 {{'heddle.dequantize' op outliers has shape [2, 6], expected [1, 6] (C3)}}
  %0 = heddle.dequantize %x scales(%s : tensor<1x6xf32>) outliers(%e : tensor<2x6xf32>) outlier_indices(%n : tensor<1xi32>) block [4, 1] : tensor<4x6xi8> -> tensor<4x6xf32>
  return
}

// -----
func.func @c3_both(%x: tensor<4x6xi8>, %s: tensor<1x6xf32>, %e: tensor<1x6xf32>, %n: tensor<1xi32>) {
  // expected-error@+1 {{'heddle.dequantize' op has outlier_rows and outlier_indices, expected one of them (C3)}}
  %0 = heddle.dequantize %x scales(%s : tensor<1x6xf32>) outliers(%e : tensor<1x6xf32>) outlier_indices(%n : tensor<1xi32>) block [4, 1] outlier_rows [3] : tensor<4x6xi8> -> tensor<4x6xf32>
  return
}

// -----
func.func @c3_absent(%x: tensor<4x6xi8>, %s: tensor<1x6xf32>, %n: tensor<1xi32>) {
  // expected-error@+1 {{'heddle.dequantize' op outlier_indices requires outliers (C3)}}
  %0 = heddle.dequantize %x scales(%s : tensor<1x6xf32>) outlier_indices(%n : tensor<1xi32>) block [4, 1] : tensor<4x6xi8> -> tensor<4x6xf32>
  return
}

// -----
func.func @c4_operands(%x: tensor<2x34xi8>, %s: tensor<2x1xf32>) {
  // expected-error@+1 {{'heddle.dequantize' op with a format has other operands than the input, or blocks (C4)}}
  %0 = heddle.dequantize %x scales(%s : tensor<2x1xf32>) format(#heddle.q8_0) : tensor<2x34xi8> -> tensor<2x32xf32>
  return
}

// -----
func.func @c4_whole_blocks(%x: tensor<2x33xi8>) {
  // expected-error@+1 {{'heddle.dequantize' op input is 'tensor<2x33xi8>', expected bytes in rows of whole blocks, which have 34 bytes (C4)}}
  %0 = heddle.dequantize %x format(#heddle.q8_0) : tensor<2x33xi8> -> tensor<2x32xf32>
  return
}

// -----
func.func @c4_shape(%x: tensor<2x288xi8>) {
  // expected-error@+1 {{'heddle.dequantize' op result is 'tensor<2x512xf32>', but the blocks of the input represent elements of the shape [512, 2] (C4)}}
  %0 = heddle.dequantize %x format(#heddle.q4_K) transposed : tensor<2x288xi8> -> tensor<2x512xf32>
  return
}

// -----
func.func @c4_matrix(%x: tensor<18xi8>) {
  // expected-error@+1 {{'heddle.dequantize' op transposes a tensor of rank 1, expected a matrix (C4)}}
  %0 = heddle.dequantize %x format(#heddle.q4_0) transposed : tensor<18xi8> -> tensor<32xf32>
  return
}

// -----
func.func @c4_transposed(%x: tensor<3xbf16>) {
  // expected-error@+1 {{'heddle.dequantize' op is transposed, but has no format (C4)}}
  %0 = heddle.dequantize %x transposed : tensor<3xbf16> -> tensor<3xf32>
  return
}
