// RUN: heddle-opt %s --heddle-tile="target=gpu strategy=softmax=softmax-groups" | FileCheck %s

// This is a softmax on a GPU. The sizes of both dimensions lie in ranges. A loop over a dimension has as many
// iterations as the size in the call, and a sum over it has as many terms. The threads of a workgroup share the sum.
// They need no temporary memory for the exponentials: these are stored in the result, and later overwritten by the
// quotients.
module attributes {heddle.sizes = [{name = "rows", low = 1, high = 9, placeholder = 4001},
                                   {name = "columns", low = 1, high = 300, placeholder = 3989}]} {
  // CHECK-LABEL: func.func private @rows(
  // CHECK: %[[ROWS:.*]] = heddle.size "rows"
  // CHECK: scf.forall (%{{.*}}) in (%[[ROWS]])
  // CHECK: %[[COLUMNS:.*]] = heddle.size "columns"
  // CHECK: scf.forall (%{{.*}}, %[[PART:.*]]) in (1, 128)
  // CHECK: scf.for %{{.*}} = %[[PART]] to %[[COLUMNS]] step %c128
  // CHECK: arith.addf
  // CHECK: %[[WEIGHTS:.*]] = scf.forall (%{{.*}}, %{{.*}}) in (1, %{{.*}}) shared_outs(
  // CHECK: heddle.exp_nonpositive
  // CHECK: scf.forall (%{{.*}}, %{{.*}}) in (1, %{{.*}}) shared_outs(%[[HERE:.*]] = %[[WEIGHTS]])
  // CHECK-NEXT: tensor.extract %[[HERE]]
  func.func private @rows(%x: tensor<4001x3989xf32>, %y: tensor<4001x3989xf32> {bufferization.writable = true})
      -> tensor<4001x3989xf32> attributes {heddle.kernel} {
    %empty = tensor.empty() : tensor<4001x3989xf32>
    %0 = linalg.softmax dimension(1) ins(%x : tensor<4001x3989xf32>) outs(%empty : tensor<4001x3989xf32>) -> tensor<4001x3989xf32>
    return %0 : tensor<4001x3989xf32>
  }
}
