// RUN: heddle-opt %s --transform-interpreter | FileCheck %s

// Maxima and minima are vectorised along the lanes of vectors. arith.maxnumf ignores NaN.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %lanes = transform.param.constant 8 : i64 -> !transform.param<i64>
    %count = transform.param.constant 32 : i64 -> !transform.param<i64>
    %bits = transform.param.constant 256 : i64 -> !transform.param<i64>
    transform.heddle.vectorize %root lanes(%lanes) blocks registers(%count x %bits) : !transform.any_op
    transform.yield
  }

  // A maximum that starts from a constant other than NaN needs only a compare and a select. The first term is compared
  // with -inf, because the compare and select would otherwise keep a first term that is NaN.
  // CHECK-LABEL: @number
  // CHECK: %[[FIRST:.*]] = vector.transfer_read
  // CHECK: %[[START:.*]] = arith.constant dense<0xFF800000> : vector<8xf32>
  // CHECK: %[[ABOVE:.*]] = arith.cmpf ogt, %[[FIRST]], %[[START]]
  // CHECK: arith.select %[[ABOVE]], %[[FIRST]], %[[START]]
  // CHECK-NOT: arith.maxnumf
  // CHECK: return
  func.func @number(%x: tensor<8x64xf32>) -> tensor<8xf32> {
    %low = arith.constant -1.0 : f32
    %empty = tensor.empty() : tensor<8xf32>
    %lows = linalg.fill ins(%low : f32) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
    %0 = linalg.reduce ins(%x : tensor<8x64xf32>) outs(%lows : tensor<8xf32>) dimensions = [1]
      (%in: f32, %acc: f32) {
        %m = arith.maxnumf %in, %acc : f32
        linalg.yield %m : f32
      }
    return %0 : tensor<8xf32>
  }

  // A maximum that starts from an argument may start from NaN, which a compare and select would keep.
  // CHECK-LABEL: @argument
  // CHECK-NOT: arith.cmpf
  // CHECK: arith.maxnumf
  // CHECK-NOT: arith.cmpf
  // CHECK: return
  func.func @argument(%x: tensor<8x64xf32>, %start: tensor<8xf32>) -> tensor<8xf32> {
    %0 = linalg.reduce ins(%x : tensor<8x64xf32>) outs(%start : tensor<8xf32>) dimensions = [1]
      (%in: f32, %acc: f32) {
        %m = arith.maxnumf %in, %acc : f32
        linalg.yield %m : f32
      }
    return %0 : tensor<8xf32>
  }

  // The body computes a minimum by a compare and a select. The first term is compared with +inf, for the same reason.
  // CHECK-LABEL: @select
  // CHECK: %[[END:.*]] = arith.constant dense<0x7F800000> : vector<8xf32>
  // CHECK: arith.cmpf olt, %{{.*}}, %[[END]]
  func.func @select(%x: tensor<8x64xf32>, %start: tensor<8xf32>) -> tensor<8xf32> {
    %0 = linalg.reduce ins(%x : tensor<8x64xf32>) outs(%start : tensor<8xf32>) dimensions = [1]
      (%in: f32, %acc: f32) {
        %below = arith.cmpf olt, %in, %acc : f32
        %m = arith.select %below, %in, %acc : f32
        linalg.yield %m : f32
      }
    return %0 : tensor<8xf32>
  }
}
