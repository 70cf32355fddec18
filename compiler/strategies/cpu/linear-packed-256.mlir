// RUN: heddle-opt %source/tests/strategies/Inputs/linear.mlir --heddle-tile=strategy=linear=%s --heddle-vectorize | FileCheck %s

// As linear-packed, for 16 registers of 8 lanes: a vector of 16 elements takes two, and a
// tile of 6 rows by 16 columns stays in registers.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "linear", target = "cpu", features = [], priority = 10}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.linear"] : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    %panel = transform.tune.knob<"panel"> = 16 from options = [16, 32, 48, 64] -> !transform.param<i64>
    %registers = transform.tune.knob<"registers"> = 6 from options = [2, 6, 12, 24, 28] -> !transform.param<i64>
    %kib = transform.tune.knob<"panel_kib"> = 320 from options = [0, 160, 320, 640, 1280] -> !transform.param<i64>
    %ahead = transform.tune.knob<"ahead"> = 1 from options = [0, 1, 2] -> !transform.param<i64>
    %least = transform.tune.knob<"prefetch_rows"> = 16 from options = [1, 2, 4, 7, 8, 16, 17] -> !transform.param<i64>
    %cache = transform.tune.knob<"prefetch_cache"> = 1 from options = [1, 2, 3] -> !transform.param<i64>
    transform.heddle.generalize %func : !transform.any_op
    %linear = transform.structured.match ops{["heddle.linear"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.pack_weight %linear panel(%panel) : !transform.any_op, !transform.param<i64>
    transform.heddle.lower_linear %linear panel(%panel) registers(%registers) weight(%kib, %ahead, %least, %cache)
        : !transform.any_op, !transform.param<i64>, !transform.param<i64>, !transform.param<i64>, !transform.param<i64>,
          !transform.param<i64>, !transform.param<i64>
    // Layout changes and elementwise work around it.
    transform.heddle.lower_general %func panel(%panel) registers(%registers)
        : !transform.any_op, !transform.param<i64>, !transform.param<i64>
    transform.yield
  }
  transform.named_sequence @vectorize(%func: !transform.any_op {transform.readonly}) {
    %lanes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.heddle.vectorize %func lanes(%lanes) {registers = 8 : i64} : !transform.any_op, !transform.param<i64>
    transform.apply_patterns to %func {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_cse to %func : !transform.any_op
    transform.yield
  }
}

// CHECK: func.func private @k0({{.*}}tensor<7x64x16xf32>
// CHECK: scf.for {{.*}} -> (vector<16xf32>
// CHECK-COUNT-5: vector.fma
// CHECK-NOT: vector.fma
// CHECK: math.erf
// CHECK-NOT: linalg.
