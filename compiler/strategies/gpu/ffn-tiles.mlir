// RUN: heddle-opt %source/tests/strategies/Inputs/ffn.mlir --heddle-tile="target=gpu strategy=ffn=%s" --heddle-vectorize | FileCheck %s

// A feed-forward layer is decomposed into the linear layers before and after the hidden tensor. Each linear layer
// consists of products of tiles. The hidden tensor is f32 or f64 and is not rounded, so only the layers before it can
// have products of bf16 or f16.
module attributes {
  transform.with_named_sequence,
  heddle.strategy = {op = "ffn", target = "gpu", features = [], priority = 12}
} {
  transform.named_sequence @match(%op: !transform.any_op {transform.readonly}) {
    transform.match.operation_name %op ["heddle.ffn"] : !transform.any_op
    transform.heddle.match_linear_tiles %op kinds([#heddle.fma<f64>, #heddle.fma<f32>]) : !transform.any_op
    transform.yield
  }
  transform.named_sequence @tile(%func: !transform.any_op {transform.readonly}) {
    // The number of threads of a workgroup, for operations other than products.
    %threads = transform.tune.knob<"threads"> = 128 from options = [64, 128, 256] -> !transform.param<i64>
    // A workgroup computes `block_rows` x `block_columns` elements of the result, in steps of `depth` terms of the
    // contraction. Its warps are in `warp_rows` rows and `warp_columns` columns.
    %rows = transform.tune.knob<"block_rows"> = 128 from options = [64, 128] -> !transform.param<i64>
    %columns = transform.tune.knob<"block_columns"> = 128 from options = [64, 128] -> !transform.param<i64>
    %depth = transform.tune.knob<"depth"> = 16 from options = [8, 16] -> !transform.param<i64>
    %down = transform.tune.knob<"warp_rows"> = 4 from options = [2, 4] -> !transform.param<i64>
    %across = transform.tune.knob<"warp_columns"> = 2 from options = [1, 2] -> !transform.param<i64>
    // The same five knobs for products of bf16 or f16 by matrix instructions. These are fast, so a warp
    // must compute more sums with each element that it loads.
    %matrix_rows = transform.tune.knob<"matrix_block_rows"> = 128 from options = [64, 128] -> !transform.param<i64>
    %matrix_columns = transform.tune.knob<"matrix_block_columns"> = 128 from options = [64, 128, 256]
        -> !transform.param<i64>
    %matrix_depth = transform.tune.knob<"matrix_depth"> = 32 from options = [16, 32, 64] -> !transform.param<i64>
    %matrix_down = transform.tune.knob<"matrix_warp_rows"> = 2 from options = [2, 4] -> !transform.param<i64>
    %matrix_across = transform.tune.knob<"matrix_warp_columns"> = 2 from options = [2, 4] -> !transform.param<i64>
    // The depth of products of f64, whose tiles then have as many bytes as tiles of f32.
    %f64_depth = transform.tune.knob<"f64_depth"> = 8 from options = [4, 8] -> !transform.param<i64>
    // Each tile in workgroup memory has `stages` buffers: copies begin `stages` - 1 steps before their tiles are used.
    %stages = transform.tune.knob<"stages"> = 3 from options = [1, 2, 3, 4] -> !transform.param<i64>
    // The maximum number of threads that the strategy may give to a workgroup. It must not exceed the device's limit.
    %most = transform.tune.knob<"workgroup_threads"> = 256 from options = [64, 128, 256] -> !transform.param<i64>
    // A large layer is cut into at least this number of blocks: about two for each multiprocessor of a large device,
    // because two of the largest workgroups fit on a multiprocessor. If the number of rows is in a range, this is the
    // number of blocks for the fewest rows.
    %blocks = transform.tune.knob<"min_blocks"> = 256 from options = [8, 32, 64, 128, 256] -> !transform.param<i64>
    // The number of blocks for matrix instructions, about one for each multiprocessor, because matrix instructions wait
    // for memory if blocks are small. If the number of rows is in a range, the blocks of the most rows are counted.
    %matrix_blocks = transform.tune.knob<"matrix_min_blocks"> = 128 from options = [8, 32, 64, 128, 256]
        -> !transform.param<i64>
    // The contraction of a layer with few blocks is divided among this number of workgroups, about two for each
    // multiprocessor of a large device, but each of them gets at least `part_terms` terms. With `part_workgroups` = 1,
    // the contraction is not divided.
    %workgroups = transform.tune.knob<"part_workgroups"> = 264 from options = [1, 66, 132, 264, 528] -> !transform.param<i64>
    %terms = transform.tune.knob<"part_terms"> = 64 from options = [32, 64, 128, 256] -> !transform.param<i64>
    transform.heddle.generalize %func : !transform.any_op
    %ffn = transform.structured.match ops{["heddle.ffn"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.decompose_ffn %ffn : !transform.any_op
    transform.heddle.generalize %func : !transform.any_op
    // Products of bf16 or f16, by matrix instructions, and products of f64.
    %linear = transform.structured.match ops{["heddle.linear"]} in %func : (!transform.any_op) -> !transform.any_op
    %bf16 = transform.heddle.select_linear_tiles %linear kind(#heddle.mma<bf16>) : (!transform.any_op) -> !transform.any_op
    %f16 = transform.heddle.select_linear_tiles %linear kind(#heddle.mma<f16>) : (!transform.any_op) -> !transform.any_op
    %f64 = transform.heddle.select_linear_tiles %linear kind(#heddle.fma<f64>) : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_linear_tiles %bf16 kind(#heddle.mma<bf16>) block(%matrix_rows x %matrix_columns)
        depth(%matrix_depth) warps(%matrix_down x %matrix_across) threads(%most) blocks(%matrix_blocks) stages(%stages)
        parts(%workgroups workgroups, %terms terms) : !transform.any_op
    transform.heddle.lower_linear_tiles %f16 kind(#heddle.mma<f16>) block(%matrix_rows x %matrix_columns)
        depth(%matrix_depth) warps(%matrix_down x %matrix_across) threads(%most) blocks(%matrix_blocks) stages(%stages)
        parts(%workgroups workgroups, %terms terms) : !transform.any_op
    transform.heddle.lower_linear_tiles %f64 kind(#heddle.fma<f64>) block(%rows x %columns) depth(%f64_depth)
        warps(%down x %across) threads(%most) blocks(%blocks fewest_rows) stages(%stages) : !transform.any_op
    // The other products.
    %rest = transform.structured.match ops{["heddle.linear"]} in %func : (!transform.any_op) -> !transform.any_op
    transform.heddle.lower_linear_tiles %rest kind(#heddle.fma<f32>) block(%rows x %columns) depth(%depth)
        warps(%down x %across) threads(%most) blocks(%blocks fewest_rows) stages(%stages)
        parts(%workgroups workgroups, %terms terms) : !transform.any_op
    transform.heddle.lower_elements %func threads(%threads) : !transform.any_op
    transform.yield
  }
  transform.named_sequence private @vectorize(!transform.any_op {transform.readonly}) // defined in gpu.mlir
}

// CHECK-COUNT-4: heddle.tile_copy
// CHECK-NOT: heddle.linear
