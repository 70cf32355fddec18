// RUN: split-file %s %t
// RUN: heddle-opt %t/types.mlir --heddle-refuse-low-precision | FileCheck %t/types.mlir
// RUN: heddle-opt %t/types.mlir --heddle-refuse-low-precision="elements=f32,bf16" | FileCheck %t/types.mlir
// RUN: not heddle-opt %t/types.mlir --heddle-refuse-low-precision="elements=f32,f64" 2>&1 | FileCheck %s --check-prefix=ELEMENT
// RUN: heddle-opt %t/rows.mlir --heddle-refuse-low-precision="products=bf16" | FileCheck %t/rows.mlir
// RUN: not heddle-opt %t/rows.mlir --heddle-refuse-low-precision="products=f16" 2>&1 | FileCheck %s --check-prefix=PRODUCT
// RUN: not heddle-opt %t/weight.mlir --heddle-refuse-low-precision="products=bf16" 2>&1 | FileCheck %s --check-prefix=WEIGHT
// RUN: not heddle-opt %t/attention.mlir --heddle-refuse-low-precision="products=bf16" 2>&1 | FileCheck %s --check-prefix=ATTENTION
// RUN: heddle-opt %t/attention.mlir --heddle-refuse-low-precision="attention-products=bf16" | FileCheck %t/attention.mlir
// RUN: heddle-opt %t/views.mlir --heddle-refuse-low-precision="products=f16" | FileCheck %t/views.mlir
// RUN: not heddle-opt %t/views.mlir --heddle-refuse-low-precision="products=bf16" 2>&1 | FileCheck %s --check-prefix=VIEWS

// The pass reports an error if an operation uses a type that the device has no code for. The option `elements` lists
// the types that the device can store; without the option, any type is accepted. The option `products` lists the types
// to which a linear layer may round its rows, and the option `attention-products` those to which attention may round.
// ELEMENT: error: elements of type 'bf16' are not supported on this device
// PRODUCT: error: 'heddle.linear' op rounds its rows to 'bf16', whose products are not supported on this device
// WEIGHT: error: 'heddle.linear' op multiplies rows of 'bf16' by a weight of 'f32'; products of different types are not supported on this device
// ATTENTION: error: 'heddle.attention' op rounds its operands to 'bf16'; products of rounded queries and keys are not supported on this device
// VIEWS: error: 'heddle.linear' op rounds its rows to 'f16', whose products are not supported on this device

//--- types.mlir
// CHECK: arith.extf {{.*}} : tensor<4xbf16> to tensor<4xf32>
func.func @main(%x: tensor<4xbf16>) -> tensor<4xf32> {
  %0 = arith.extf %x : tensor<4xbf16> to tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- rows.mlir
// CHECK: heddle.linear {{.*}} rounding(<bf16>)
func.func @main(%x: tensor<3x8xf32>, %narrow: tensor<8x4xbf16>) -> tensor<3x4xf32> {
  %w = heddle.dequantize %narrow : tensor<8x4xbf16> -> tensor<8x4xf32>
  %y = heddle.linear %x, %w rounding(<bf16>) : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
//--- weight.mlir
func.func @main(%x: tensor<3x8xf32>, %w: tensor<8x4xf32>) -> tensor<3x4xf32> {
  %y = heddle.linear %x, %w rounding(<bf16>) : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
//--- views.mlir
// The elements of slices, reshapes and transpositions of a weight are numbers of the type in which it is stored.
// CHECK-COUNT-3: heddle.linear {{.*}} rounding(<f16>)
func.func @main(%x: tensor<3x8xf32>, %narrow: tensor<2x8x4xf16>, %long: tensor<32xf16>)
    -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  %0 = heddle.dequantize %narrow : tensor<2x8x4xf16> -> tensor<2x8x4xf32>
  %1 = tensor.extract_slice %0[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %2 = heddle.dequantize %long : tensor<32xf16> -> tensor<32xf32>
  %3 = tensor.expand_shape %2 [[0, 1]] output_shape [8, 4] : tensor<32xf32> into tensor<8x4xf32>
  %4 = tensor.expand_shape %2 [[0, 1]] output_shape [4, 8] : tensor<32xf32> into tensor<4x8xf32>
  %e = tensor.empty() : tensor<8x4xf32>
  %5 = linalg.transpose ins(%4 : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
  %a = heddle.linear %x, %1 rounding(<f16>) : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  %b = heddle.linear %x, %3 rounding(<f16>) : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  %c = heddle.linear %x, %5 rounding(<f16>) : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  return %a, %b, %c : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
}
//--- attention.mlir
// CHECK: heddle.attention
func.func @main(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %o = heddle.attention %q, %k, %v rounding(bf16)
    : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %o : tensor<1x2x3x4xf32>
}
