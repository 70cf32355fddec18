// RUN: heddle-opt %source/tests/strategies/Inputs/contraction.mlir --heddle-tile=strategy=contraction=%s --heddle-vectorize | FileCheck %s

// As contraction-panels, for 16 registers of 8 lanes: a vector of 16 elements takes two, and a
// tile of 6 rows by 16 columns stays in registers.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "contraction", target = "cpu", features = [], priority = 10}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {

    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    %panel = transform.tune.knob<"panel"> = 16 from options = [16, 32, 48, 64] -> !transform.param<i64>
    %registers = transform.tune.knob<"registers"> = 6 from options = [2, 6, 12, 24, 28] -> !transform.param<i64>
    transform.heddle.generalize %func : !transform.any_op
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

// CHECK-COUNT-64: vector.shuffle
// CHECK: scf.for {{.*}} -> (vector<16xf32>
// CHECK-NOT: linalg.
