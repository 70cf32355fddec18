// RUN: heddle-opt %source/tests/strategies/Inputs/attention-rounded.mlir --heddle-tile="target=cuda strategy=attention=%s:block_k=32" --heddle-vectorize | FileCheck %s

// Attention that rounds its operands to bf16 or f16, by tiles with places: matrix instructions compute the products,
// and the weights, which are computed from the scores, are multiplied by the values without leaving the registers.
// Otherwise, this strategy is like attention-tiles.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "attention", target = "cuda", features = [], priority = 13}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.attention"] : !transform.any_op
    // The knobs that determine whether a block can be made small enough.
    %q = transform.tune.knob<"block_q"> = 128 from options = [64, 128] -> !transform.param<i64>
    %k = transform.tune.knob<"block_k"> = 64 from options = [32, 64] -> !transform.param<i64>
    %warps = transform.tune.knob<"warps"> = 4 from options = [2, 4] -> !transform.param<i64>
    %stages = transform.tune.knob<"stages"> = 2 from options = [1, 2, 3] -> !transform.param<i64>
    %most = transform.tune.knob<"workgroup_threads"> = 256 from options = [64, 128, 256] -> !transform.param<i64>
    %kib = transform.tune.knob<"tile_kib"> = 96 from options = [48, 96] -> !transform.param<i64>
    transform.heddle.match_attention_tiles %op kinds([#heddle.mma<bf16>, #heddle.mma<f16>]) block(%q x %k) warps(%warps)
        stages(%stages) threads(%most) kib(%kib) : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // The number of threads of a workgroup, for operations other than attention.
    %threads = transform.tune.knob<"threads"> = 128 from options = [64, 128, 256] -> !transform.param<i64>
    // The maximum number of queries of a workgroup, the number of keys in a step, and the number of warps.
    %q = transform.tune.knob<"block_q"> = 128 from options = [64, 128] -> !transform.param<i64>
    %k = transform.tune.knob<"block_k"> = 64 from options = [32, 64] -> !transform.param<i64>
    %warps = transform.tune.knob<"warps"> = 4 from options = [2, 4] -> !transform.param<i64>
    // The tiles of keys and of values have `stages` buffers: copies begin `stages` - 1 steps before they are used.
    %stages = transform.tune.knob<"stages"> = 2 from options = [1, 2, 3] -> !transform.param<i64>
    // The maximum number of threads in a workgroup of the device.
    %most = transform.tune.knob<"workgroup_threads"> = 256 from options = [64, 128, 256] -> !transform.param<i64>
    // The maximum size of the tiles in workgroup memory in KiB. All supported devices allow 99 KiB.
    %kib = transform.tune.knob<"tile_kib"> = 96 from options = [48, 96] -> !transform.param<i64>
    // The number of workgroups that fill a device: about one for each multiprocessor of a large device.
    %blocks = transform.tune.knob<"min_blocks"> = 128 from options = [32, 64, 128, 256] -> !transform.param<i64>
    // 1 if the device's instruction that approximates 2^x computes the weights; its error is small compared with their
    // rounding. 0 if the weights are computed as in attention that does not round them.
    %approximate = transform.tune.knob<"approximate_exp"> = 1 from options = [0, 1] -> !transform.param<i64>
    %op = transform.structured.match ops{["heddle.attention"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_attention_tiles %op kinds([#heddle.mma<bf16>, #heddle.mma<f16>]) block(%q x %k) warps(%warps) stages(%stages)
        threads(%most) kib(%kib) blocks(%blocks) approximate(%approximate) : !transform.any_op
    transform.heddle.lower_elements %func threads(%threads) : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @vectorize(!transform.any_op {transform.readonly}) // defined in gpu.mlir
}

// CHECK: scf.forall ({{.*}}) in (1, 2, 2)
// Weights are rounded in registers, and the second product reads them there.
// CHECK: bufferization.alloc_tensor() {memory_space = #heddle.fragments<#heddle.mma<bf16>, 4 x 1>} : tensor<64x32xbf16>
// CHECK: scf.for
// CHECK: heddle.tile_copy {{.*}} -> tensor<32x16xbf16>
// CHECK: linalg.matmul indexing_maps
// CHECK: arith.truncf
// CHECK: linalg.matmul ins({{.*}} : tensor<64x32xbf16>, tensor<32x8xbf16>)
