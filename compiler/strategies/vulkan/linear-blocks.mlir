// RUN: heddle-opt %source/tests/strategies/Inputs/linear.mlir --heddle-tile="target=vulkan strategy=linear=%s" --heddle-vectorize | FileCheck %s

// A linear layer as a blocked matrix product: a workgroup computes a block of the result. The threads of the workgroup
// together load tiles of input and weight into workgroup memory. Each thread keeps its part of the block in registers
// until this part is complete.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "linear", target = "vulkan", features = [], priority = 10}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.linear"] : !transform.any_op
    transform.heddle.match_rounding %op absent : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // The number of threads of a workgroup.
    %threads = transform.tune.knob<"threads"> = 128 from options = [64, 128, 256] -> !transform.param<i64>
    // A workgroup computes `block_rows` x `panel` elements of the result, in steps of `depth` terms of the contraction.
    // A thread computes `thread_rows` rows x `thread_vectors` vectors of 4 columns.
    %rows = transform.tune.knob<"block_rows"> = 64 from options = [32, 64, 128] -> !transform.param<i64>
    %columns = transform.tune.knob<"panel"> = 64 from options = [32, 64, 128] -> !transform.param<i64>
    %depth = transform.tune.knob<"depth"> = 32 from options = [8, 16, 32] -> !transform.param<i64>
    %high = transform.tune.knob<"thread_rows"> = 8 from options = [4, 8] -> !transform.param<i64>
    %wide = transform.tune.knob<"thread_vectors"> = 2 from options = [1, 2] -> !transform.param<i64>
    transform.heddle.generalize %func : !transform.any_op
    %linear = transform.structured.match ops{["heddle.linear"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.pack_weight %linear panel(%columns) : !transform.any_op
    transform.heddle.lower_linear_blocks %linear block(%rows x %columns) depth(%depth) registers(%high x %wide)
        : !transform.any_op
    transform.heddle.lower_elements %func threads(%threads) : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @vectorize(!transform.any_op {transform.readonly}) // defined in gpu.mlir
}

// CHECK: func.func private @k0({{.*}}tensor<2x64x64xf32>
// CHECK: scf.forall ({{.*}}) in (1, 2)
// Each thread computes two vectors of columns in three rows; a block has 7 x 8 threads.
// CHECK: tensor.empty() : tensor<21x2x32xf32>
// CHECK: scf.for
// Threads load the input and the packed weight in accesses of 128 bits. Instead of rows beyond the end of the input,
// they load its last row.
// CHECK: scf.forall ({{.*}}) in (21, 8)
// CHECK: vector.transfer_read {{.*}} : tensor<20x64xf32>, vector<4xf32>
// CHECK: scf.forall ({{.*}}) in (32, 2, 8)
// CHECK: vector.transfer_read {{.*}} : tensor<2x64x64xf32>, vector<4xf32>
// CHECK: scf.forall ({{.*}}) in (7, 8)
// CHECK: scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
// CHECK-COUNT-6: vector.fma
// CHECK-NOT: vector.fma
// CHECK: mapping = [#gpu.thread<y>, #gpu.thread<x>]
// CHECK: math.erf
// CHECK-NOT: linalg.
// CHECK: heddle.weight {{.*}}pack
