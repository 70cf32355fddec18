// RUN: heddle-opt %s --transform-interpreter | FileCheck %s

// Without `blocks`, maxima are computed in register tiles, and a linalg.fill is vectorised before the maximum that
// starts from it. A maximum that starts from a constant other than NaN needs only a compare and a select.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    %count = transform.param.constant 16 : i64 -> !transform.param<i64>
    %bits = transform.param.constant 256 : i64 -> !transform.param<i64>
    transform.heddle.vectorize %root lanes(%lanes) registers(%count x %bits) : !transform.any_op
    transform.yield
  }

  // CHECK-LABEL: @number
  // CHECK: arith.constant dense<0xFF800000> : vector<16xf32>
  // CHECK: scf.for
  // CHECK: arith.cmpf ogt
  // CHECK-NOT: arith.maxnumf
  // CHECK: return
  func.func @number(%x: tensor<4x512xf32>) -> tensor<4xf32> {
    %low = arith.constant 0xFF800000 : f32
    %empty = tensor.empty() : tensor<4xf32>
    %lows = linalg.fill ins(%low : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
    %0 = linalg.reduce ins(%x : tensor<4x512xf32>) outs(%lows : tensor<4xf32>) dimensions = [1]
      (%in: f32, %acc: f32) {
        %m = arith.maxnumf %in, %acc : f32
        linalg.yield %m : f32
      }
    return %0 : tensor<4xf32>
  }

  // The initial value may be NaN (@argument) or is NaN (@nan). A compare and a select would keep the NaN.
  // CHECK-LABEL: @argument
  // CHECK-NOT: arith.cmpf
  // CHECK: arith.maxnumf
  // CHECK-NOT: arith.cmpf
  // CHECK: return
  func.func @argument(%x: tensor<4x512xf32>, %start: tensor<4xf32>) -> tensor<4xf32> {
    %0 = linalg.reduce ins(%x : tensor<4x512xf32>) outs(%start : tensor<4xf32>) dimensions = [1]
      (%in: f32, %acc: f32) {
        %m = arith.maxnumf %in, %acc : f32
        linalg.yield %m : f32
      }
    return %0 : tensor<4xf32>
  }

  // CHECK-LABEL: @nan
  // CHECK-NOT: arith.cmpf
  // CHECK: arith.maxnumf
  // CHECK-NOT: arith.cmpf
  // CHECK: return
  func.func @nan(%x: tensor<4x512xf32>) -> tensor<4xf32> {
    %low = arith.constant 0x7FC00000 : f32
    %empty = tensor.empty() : tensor<4xf32>
    %lows = linalg.fill ins(%low : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
    %0 = linalg.reduce ins(%x : tensor<4x512xf32>) outs(%lows : tensor<4xf32>) dimensions = [1]
      (%in: f32, %acc: f32) {
        %m = arith.maxnumf %in, %acc : f32
        linalg.yield %m : f32
      }
    return %0 : tensor<4xf32>
  }
}
