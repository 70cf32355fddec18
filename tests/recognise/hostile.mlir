// RUN: heddle-opt %s --heddle-recognise=remarks --split-input-file 2>&1 | FileCheck %s

// The pass must not crash or take exponential time for unusual modules. Operations with sizes of 0 or with dynamic
// sizes are left unchanged.

// CHECK: linalg.softmax is not recognised as a layer: its tensors do not have static sizes above 0
// CHECK: linalg.softmax is not recognised as a layer: its tensors do not have static sizes above 0
func.func @no_keys(%s: tensor<0x4x0xf32>, %v: tensor<0x0x4xf32>) -> tensor<0x4x4xf32> {
  %e = tensor.empty() : tensor<0x4x0xf32>
  %z = arith.constant dense<0.0> : tensor<0x4x4xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<0x4x0xf32>) outs(%e : tensor<0x4x0xf32>) -> tensor<0x4x0xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<0x4x0xf32>, tensor<0x0x4xf32>) outs(%z : tensor<0x4x4xf32>) -> tensor<0x4x4xf32>
  return %o : tensor<0x4x4xf32>
}

// -----

func.func @open(%s: tensor<?x4xf32>, %v: tensor<4x4xf32>, %e: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %p = linalg.softmax dimension(1) ins(%s : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %o = linalg.matmul ins(%p, %v : tensor<?x4xf32>, tensor<4x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %h = arith.mulf %o, %o : tensor<?x4xf32>
  return %h : tensor<?x4xf32>
}

// -----

// Each value is the square of the previous value, so the last one is a product of 2^30 factors. Then each value is
// twice the previous value. A recogniser that collected all factors or all summands would take exponential time.

// CHECK-LABEL: @squares
func.func @squares(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %w = heddle.weight "w" : tensor<4x4xf32>
  %0 = heddle.linear %x, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %1 = arith.mulf %0, %0 : tensor<2x4xf32>
  %2 = arith.mulf %1, %1 : tensor<2x4xf32>
  %3 = arith.mulf %2, %2 : tensor<2x4xf32>
  %4 = arith.mulf %3, %3 : tensor<2x4xf32>
  %5 = arith.mulf %4, %4 : tensor<2x4xf32>
  %6 = arith.mulf %5, %5 : tensor<2x4xf32>
  %7 = arith.mulf %6, %6 : tensor<2x4xf32>
  %8 = arith.mulf %7, %7 : tensor<2x4xf32>
  %9 = arith.mulf %8, %8 : tensor<2x4xf32>
  %10 = arith.mulf %9, %9 : tensor<2x4xf32>
  %11 = arith.mulf %10, %10 : tensor<2x4xf32>
  %12 = arith.mulf %11, %11 : tensor<2x4xf32>
  %13 = arith.mulf %12, %12 : tensor<2x4xf32>
  %14 = arith.mulf %13, %13 : tensor<2x4xf32>
  %15 = arith.mulf %14, %14 : tensor<2x4xf32>
  %16 = arith.mulf %15, %15 : tensor<2x4xf32>
  %17 = arith.mulf %16, %16 : tensor<2x4xf32>
  %18 = arith.mulf %17, %17 : tensor<2x4xf32>
  %19 = arith.mulf %18, %18 : tensor<2x4xf32>
  %20 = arith.mulf %19, %19 : tensor<2x4xf32>
  %21 = arith.mulf %20, %20 : tensor<2x4xf32>
  %22 = arith.mulf %21, %21 : tensor<2x4xf32>
  %23 = arith.mulf %22, %22 : tensor<2x4xf32>
  %24 = arith.mulf %23, %23 : tensor<2x4xf32>
  %25 = arith.mulf %24, %24 : tensor<2x4xf32>
  %26 = arith.mulf %25, %25 : tensor<2x4xf32>
  %27 = arith.mulf %26, %26 : tensor<2x4xf32>
  %28 = arith.mulf %27, %27 : tensor<2x4xf32>
  %29 = arith.mulf %28, %28 : tensor<2x4xf32>
  %30 = arith.mulf %29, %29 : tensor<2x4xf32>
  %e = tensor.empty() : tensor<2x4xf32>
  %a0 = arith.addf %30, %30 : tensor<2x4xf32>
  %a1 = arith.addf %a0, %a0 : tensor<2x4xf32>
  %a2 = arith.addf %a1, %a1 : tensor<2x4xf32>
  %a3 = arith.addf %a2, %a2 : tensor<2x4xf32>
  %a4 = arith.addf %a3, %a3 : tensor<2x4xf32>
  %a5 = arith.addf %a4, %a4 : tensor<2x4xf32>
  %a6 = arith.addf %a5, %a5 : tensor<2x4xf32>
  %a7 = arith.addf %a6, %a6 : tensor<2x4xf32>
  %a8 = arith.addf %a7, %a7 : tensor<2x4xf32>
  %a9 = arith.addf %a8, %a8 : tensor<2x4xf32>
  %a10 = arith.addf %a9, %a9 : tensor<2x4xf32>
  %a11 = arith.addf %a10, %a10 : tensor<2x4xf32>
  %a12 = arith.addf %a11, %a11 : tensor<2x4xf32>
  %a13 = arith.addf %a12, %a12 : tensor<2x4xf32>
  %a14 = arith.addf %a13, %a13 : tensor<2x4xf32>
  %a15 = arith.addf %a14, %a14 : tensor<2x4xf32>
  %a16 = arith.addf %a15, %a15 : tensor<2x4xf32>
  %a17 = arith.addf %a16, %a16 : tensor<2x4xf32>
  %a18 = arith.addf %a17, %a17 : tensor<2x4xf32>
  %a19 = arith.addf %a18, %a18 : tensor<2x4xf32>
  %a20 = arith.addf %a19, %a19 : tensor<2x4xf32>
  %a21 = arith.addf %a20, %a20 : tensor<2x4xf32>
  %a22 = arith.addf %a21, %a21 : tensor<2x4xf32>
  %a23 = arith.addf %a22, %a22 : tensor<2x4xf32>
  %a24 = arith.addf %a23, %a23 : tensor<2x4xf32>
  %a25 = arith.addf %a24, %a24 : tensor<2x4xf32>
  %a26 = arith.addf %a25, %a25 : tensor<2x4xf32>
  %a27 = arith.addf %a26, %a26 : tensor<2x4xf32>
  %a28 = arith.addf %a27, %a27 : tensor<2x4xf32>
  %a29 = arith.addf %a28, %a28 : tensor<2x4xf32>
  %a30 = arith.addf %a29, %a29 : tensor<2x4xf32>
  %p = linalg.softmax dimension(1) ins(%a30 : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  %z = arith.constant dense<0.0> : tensor<2x4xf32>
  %o = linalg.matmul ins(%p, %w : tensor<2x4xf32>, tensor<4x4xf32>) outs(%z : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %o : tensor<2x4xf32>
}
