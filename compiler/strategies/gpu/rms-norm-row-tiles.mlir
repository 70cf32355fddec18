// RUN: heddle-opt %source/tests/strategies/Inputs/rms-norm.mlir --heddle-tile="target=gpu limits=subgroup=32 strategy=rms_norm=%s" --heddle-vectorize | FileCheck %s

// RMS norm that keeps a whole row in registers: those of one warp, of a few lanes of a warp, or of several warps. A row
// is read once and written once, and the lanes exchange sums.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "rms_norm", target = "gpu", features = [], priority = 12}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.rms_norm"] : !transform.any_op
    transform.heddle.match_row_tiles %op : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // The number of threads of a workgroup, for operations other than norms.
    %threads = transform.tune.knob<"threads"> = 128 from options = [64, 128, 256] -> !transform.param<i64>
    // The maximum number of warps of a workgroup.
    %warps = transform.tune.knob<"warps"> = 4 from options = [1, 2, 4, 8] -> !transform.param<i64>
    // The maximum number of threads in a workgroup of the device.
    %most = transform.tune.knob<"workgroup_threads"> = 256 from options = [64, 128, 256] -> !transform.param<i64>
    // The number of workgroups that fill a device: about one for each multiprocessor of a large device. If there are
    // fewer, workgroups have fewer warps, and if there are few rows, several warps share a row.
    %blocks = transform.tune.knob<"min_blocks"> = 128 from options = [32, 64, 128, 256] -> !transform.param<i64>
    // The minimum number of columns of a warp that shares a row with others. With fewer columns, the warps would wait
    // for each other longer than one warp would need for the whole row.
    %columns = transform.tune.knob<"warp_columns"> = 1024 from options = [256, 512, 1024, 2048, 4096] -> !transform.param<i64>
    // The maximum number of lanes of a warp that share a row, unless a lane would then have more than 64 of its
    // elements. If lanes cannot exchange results by shuffles, each of them reads the results of all others from
    // workgroup memory, so fewer of them share a row. Eight lanes access 128 contiguous bytes at a time.
    %lanes = transform.tune.knob<"row_lanes"> = 8 from options = [1, 2, 4, 8, 16, 32]
        {defaults = [{subgroup = 32, value = 32}]} -> !transform.param<i64>
    transform.heddle.generalize %func : !transform.any_op
    %norm = transform.structured.match ops{["heddle.rms_norm"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_row_tiles %norm warps(%warps) threads(%most) blocks(%blocks) columns(%columns) lanes(%lanes)
        : !transform.any_op
    transform.heddle.lower_elements %func threads(%threads) : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @vectorize(!transform.any_op {transform.readonly}) // defined in gpu.mlir
}

// A row has 39 elements, an odd number, so a lane accesses single elements. There are few rows, so a workgroup is one
// warp.
// CHECK: scf.forall ({{.*}}) in (5)
// CHECK: bufferization.alloc_tensor() {memory_space = #heddle.fragments<#heddle.rows<f32, 32 x 1>, 1 x 1>} : tensor<1x64xf32>
// CHECK: heddle.tile_copy {{.*}} valid({{.*}}) into
// CHECK: math.sqrt
// CHECK: mapping = [#gpu.block<linear_dim_0>]
