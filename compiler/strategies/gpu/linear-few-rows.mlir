// RUN: heddle-opt %source/tests/strategies/Inputs/linear-few-rows.mlir --heddle-tile="target=gpu strategy=linear=%s" --heddle-vectorize | FileCheck %s

// A linear layer with few rows: a workgroup computes all rows of a panel of columns. Adjacent threads read adjacent
// vectors of the weight, and a thread uses each vector for all rows. The terms of a sum are divided among threads, and
// their partial sums are added up in workgroup memory.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "linear", target = "gpu", features = [], priority = 15}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.linear"] : !transform.any_op
    transform.heddle.match_rounding %op absent : !transform.any_op
    transform.heddle.match_few_rows %op at_most(8) wide : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // The number of threads of a workgroup.
    %threads = transform.tune.knob<"threads"> = 128 from options = [64, 128, 256] -> !transform.param<i64>
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    // The number of columns that a workgroup computes.
    %panel = transform.tune.knob<"panel"> = 64 from options = [32, 64] -> !transform.param<i64>
    // A tile has 32 accumulators of 16 elements (`lanes`), which are 8 rows of a panel of 64 columns.
    %registers = transform.param.constant 32 : i64 -> !transform.param<i64>
    // The panels of the weight are neither cut nor prefetched.
    %kib = transform.param.constant 0 : i64 -> !transform.param<i64>
    %prefetch_panels = transform.param.constant 0 : i64 -> !transform.param<i64>
    %prefetch_rows = transform.param.constant 16 : i64 -> !transform.param<i64>
    %cache = transform.param.constant 1 : i64 -> !transform.param<i64>
    transform.heddle.generalize %func : !transform.any_op
    %linear = transform.structured.match ops{["heddle.linear"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.pack_weight %linear panel(%panel) : !transform.any_op
    transform.heddle.lower_linear %linear lanes(%lanes) panel(%panel) registers(%registers) weight(%kib, %prefetch_panels, %prefetch_rows, %cache)
        : !transform.any_op
    transform.heddle.lower_elements %func threads(%threads) wide : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @vectorize(!transform.any_op {transform.readonly}) // defined in gpu.mlir
}

// CHECK: scf.forall ({{.*}}) in (1, 1)
// Eight threads divide the sums of four columns among themselves. Each thread computes its part of the sums for all
// rows.
// CHECK: scf.forall ({{.*}}) in (8, 1, 16)
// CHECK: vector.transfer_read {{.*}}, vector<4xf32>
// CHECK: vector.fma {{.*}} : vector<4xf32>
// CHECK: math.erf {{.*}} : vector<4xf32>
// CHECK-NOT: linalg.
