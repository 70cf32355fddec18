// RUN: heddle-opt %source/tests/strategies/Inputs/recurrent-attention.mlir --heddle-tile=strategy=recurrent_attention=%s --heddle-vectorize \
// RUN:   --eliminate-empty-tensors --one-shot-bufferize=bufferize-function-boundaries --canonicalize --cse --canonicalize | FileCheck %s

// Recurrent attention: a loop over the positions updates the state of a head, or as many columns of the state as fit
// into `state_kib` KiB. The default, a state of 128 x 128 f32 numbers, fits into the second-level caches of common
// CPUs. (For heads of 128 elements, blocks that fit into the first-level cache would take a third longer.)
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "recurrent_attention", target = "cpu", features = [], priority = 10}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.recurrent_attention"] : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // The maximum size in KiB of the columns of a state that a task updates.
    %kib = transform.tune.knob<"state_kib"> = 64 from options = [8, 16, 32, 64] -> !transform.param<i64>
    %op = transform.structured.match ops{["heddle.recurrent_attention"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_recurrent_attention %op state_kib(%kib) : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @vectorize_blocks(!transform.any_op {transform.readonly}) // defined in cpu.mlir
  transform.named_sequence @vectorize(%func: !transform.any_op {transform.readonly}) {
    transform.include @vectorize_blocks failures(propagate) (%func) : (!transform.any_op) -> ()
    transform.yield
  }
}

// There is one loop over all positions, even if their number is known only at run time.
// CHECK: scf.forall
// CHECK: scf.for
// CHECK: math.exp
// CHECK: vector.fma {{.*}} : vector<16xf32>
// CHECK-NOT: linalg.
