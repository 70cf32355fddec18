//===- Operations.cpp - table of tested operations ------------------------===//

#include "Operations.h"

#include "llvm/ADT/StringExtras.h"

using namespace in;

static constexpr TestedOperation operationTable[] = {
    // Linear layers with one row, one column or one term, with remainders of every tile, and with several blocks of k.
    {"linear", "m=1 n=1 k=1", Here},
    {"linear", "m=1 n=64 k=384 bias=1", Here},
    {"linear", "m=2 n=15 k=17", Here},
    {"linear", "m=7 n=33 k=39 bias=1 activation=relu", Here},
    {"linear", "m=16 n=64 k=64 residual=1", Here},
    {"linear", "m=17 n=65 k=135 bias=1 residual=1 activation=gelu", Here | Types},
    {"linear", "m=33 n=129 k=1000 bias=1 activation=gelu_tanh", Here},
    {"linear", "m=39 n=16 k=2 activation=silu bias=1", Here},
    {"linear", "m=64 n=135 k=16 activation=tanh", Here},
    {"linear", "m=135 n=200 k=39 bias=1 residual=1", Here},
    {"linear", "m=1 n=64 k=384 bias=1 weights=constant", Here},
    {"linear", "m=17 n=65 k=135 bias=1 residual=1 activation=gelu weights=constant", Here | Hard},
    {"linear", "m=135 n=200 k=39 activation=relu weights=constant", Here},
    // Large k: the sums over k are split into parts.
    {"linear", "m=64 n=40 k=12288 weights=constant", Here},
    {"linear", "m=70 n=39 k=12288 bias=1 residual=1 activation=gelu weights=constant", Here},
    {"linear", "m=1 n=135 k=39 bias=1 weights=constant", Types},
    {"linear", "m=40 n=100 k=77 weights=constant activation=relu", Types},
    {"linear", "m=7 n=33 k=39 activation=gelu_tanh", Types},
    // Wide tiles read three panels (neighbouring columns of a weight that are stored together) at a time. The columns
    // after the last wide tile are whole panels, a part of a panel, or both.
    {"linear", "m=20 n=100 k=64 bias=1 activation=gelu weights=constant", Cpus},
    {"linear", "m=1 n=70 k=33 residual=1 weights=constant", Cpus},
    // A sum over k that is split into parts, and widths with each kind of remainder.
    {"linear", "m=70 n=150 k=3600 weights=constant", Cpus},
    {"linear", "m=37 n=44 k=18 bias=1 weights=constant", Cpus},
    {"linear", "m=17 n=80 k=48 weights=constant", Cpus},
    {"linear", "m=16 n=96 k=50 residual=1 weights=constant", Cpus},
    {"linear", "m=6 n=176 k=20 bias=1 weights=constant", Cpus},
    {"linear", "m=20 n=100 k=64", Cpus},
    {"linear", "m=64 n=96 k=64", Stages},
    {"linear", "m=17 n=33 k=39 bias=1 weights=constant", Stages},
    {"linear", "m=17 n=33 k=39", Stages},
    {"linear", "m=320 n=33 k=39 weights=constant", Stages},
    {"linear", "m=17 n=33 k=39 weights=constant", Stages},
    {"linear", "m=17 n=33 k=39 weights=constant type=bf16", Stages},
    {"linear", "m=33 n=64 k=64 activation=gelu_tanh", Hard},
    {"linear", "m=1 n=70 k=135 activation=silu weights=constant", Hard},
    {"linear", "m=100 n=96 k=33 activation=tanh weights=constant", Hard},
    {"linear", "m=1..300 n=64 k=39", Rows},
    {"linear", "m=1..300 n=135 k=384 bias=1 weights=constant", Rows},
    {"linear", "m=1..300 n=17 k=16 bias=1 residual=1 activation=gelu weights=constant", Rows | Guarded},
    {"linear", "m=1..300 n=33 k=9000 weights=constant", Rows},
    // n and k are multiples of 101, which the second compilation may choose as the placeholder of m.
    {"linear", "m=1..300 n=202 k=303 bias=1 weights=constant", Rows},
    {"linear", "m=1..300 n=135 k=77 bias=1 weights=constant", Guarded},
    {"linear", "m=1..300 n=33 k=39", Guarded},
    {"linear", "m=1..100 n=1 k=3 weights=constant", Guarded},
    // The rows of the input are rounded to the format of the weight, so the layer computes with dot products. In some
    // layers, k is not a multiple of the length of a dot product, or n is not a multiple of the vector length. Some
    // layers have outlier channels.
    {"linear", "m=8 n=96 k=64 rounding=int8 weights=constant", Here | Stages},
    {"linear", "m=17 n=33 k=39 rounding=int8 outliers=2 bias=1 weights=constant", Here | Stages | Hard},
    {"linear", "m=1 n=1 k=1 rounding=int8 weights=constant", Here},
    {"linear", "m=20 n=150 k=67 rounding=int8 bias=1 residual=1 activation=gelu weights=constant", Here | Cpus},
    {"linear", "m=70 n=70 k=16389 rounding=int8 outliers=3 weights=constant", Here},
    {"linear", "m=1..300 n=135 k=77 rounding=int8 outliers=2 bias=1 weights=constant", Rows | Guarded},
    {"linear", "m=17 n=33 k=39 rounding=int8-block outliers=2 weights=constant", Here | Stages | Hard},
    {"linear", "m=1 n=70 k=384 rounding=int8-block residual=1 weights=constant", Here | Cpus},
    {"linear", "m=1..300 n=100 k=70 rounding=int8-block activation=silu weights=constant", Rows | Guarded},
    {"linear", "m=17 n=33 k=39 rounding=int8-tensor outliers=1 weights=constant", Here | Stages | Hard},
    {"linear", "m=1..300 n=40 k=33 rounding=int8-tensor weights=constant", Guarded},
    {"linear", "m=17 n=33 k=39 rounding=int8 activation_scale=0.02 weights=constant", Here | Stages | Hard},
    {"linear", "m=17 n=33 k=39 rounding=bf16 bias=1 weights=constant", Here | Stages | Hard},
    {"linear", "m=20 n=100 k=64 rounding=bf16 activation=gelu weights=constant", Cpus},
    {"linear", "m=1..300 n=135 k=77 rounding=bf16 weights=constant", Rows | Guarded},
    // The rows of the input are rounded, but the weight has another format.
    {"linear", "m=17 n=33 k=39 rounding=int8 outliers=2 bias=1", Here | Stages | Hard},
    {"linear", "m=17 n=33 k=39 rounding=int8-block", Here},
    {"linear", "m=1..300 n=33 k=39 rounding=int8-tensor outliers=2", Guarded},
    {"linear", "m=17 n=33 k=39 rounding=int8 activation_scale=0.02", Here | Hard},
    {"linear", "m=20 n=70 k=39 rounding=bf16 outliers=2 weights=constant", Here | Cpus},
    {"linear", "m=20 n=70 k=39 rounding=f16 weights=constant", Here | Cpus},
    {"ffn", "m=65 k=17 h=12288 weights=constant", Here},
    {"ffn", "m=1 k=16 h=64", Here},
    {"ffn", "m=17 k=39 h=135 bias=1 residual=1", Here | Stages | Hard},
    {"ffn", "m=5 k=15 h=33 n=17 activation=relu", Here},
    {"ffn", "m=39 k=64 h=135 gated=1 activation=silu", Here},
    {"ffn", "m=17 k=39 h=65 gated=1 bias=1 residual=1 weights=constant activation=silu", Here | Types | Hard},
    {"ffn", "m=9 k=40 hidden=150 gated=1 activation=silu weights=constant", Cpus},
    {"ffn", "m=300 k=32 hidden=64 bias=1 residual=1 weights=constant", Cpus},
    {"ffn", "m=17 k=39 h=33 weights=constant", Stages},
    {"ffn", "m=320 k=39 h=33 weights=constant", Stages},
    {"ffn", "m=128 k=39 h=70 bias=1 residual=1 weights=constant", Hard},
    {"ffn", "m=1..300 k=33 h=130 bias=1 residual=1 weights=constant", Rows},
    {"ffn", "m=1..7 k=64 h=100 gated=1 bias=1", Batches},
    {"ffn", "m=1..130 k=17 h=31 gated=1 bias=1", Guarded},
    {"ffn", "m=1..130 k=33 h=130 bias=1 residual=1 weights=constant", Guarded},
    {"layer_norm", "rows=1 d=1", Here},
    {"layer_norm", "rows=17 d=39", Here | Cpus | Stages},
    {"layer_norm", "rows=128 d=384 residual=1", Here},
    {"layer_norm", "rows=15 d=135 scale=0 bias=0 epsilon=0.1", Here},
    {"layer_norm", "rows=17 d=39 residual=1", Types | Hard},
    {"layer_norm", "rows=67 d=96", Hard},
    {"layer_norm", "rows=1..300 d=384 residual=1", Rows | Guarded},
    {"layer_norm", "rows=1..300 d=17", Rows | Guarded},
    {"rms_norm", "rows=1 d=16", Here},
    {"rms_norm", "rows=39 d=135 residual=1", Here},
    {"rms_norm", "rows=2 d=17 scale=0", Here},
    {"rms_norm", "rows=5 d=135", Types},
    {"rms_norm", "rows=17 d=39", Cpus | Stages | Hard},
    {"rms_norm", "rows=67 d=96 residual=1", Hard},
    {"rms_norm", "rows=1..300 d=1000", Rows},
    {"rms_norm", "rows=1..300 d=3", Guarded},
    {"softmax", "rows=1 d=1", Here},
    {"softmax", "rows=17 d=39", Here | Types | Stages | Hard},
    {"softmax", "rows=135 d=64 axis=0", Here},
    {"softmax", "rows=35 d=17 axis=0", Types | Hard},
    {"softmax", "rows=130 d=77", Cpus},
    {"softmax", "rows=67 d=96", Hard},
    {"softmax", "rows=1..300 d=77", Rows | Guarded},
    {"softmax", "rows=1..300 d=7 axis=0", Positions | Guarded},
    {"softmax", "rows=1..300 d=3", Guarded},
    {"softmax", "rows=1..300 d=37 axis=0", Guarded},
    // Blocks of queries and keys through which the diagonal of `causal` passes, and few queries with grouped heads.
    {"attention", "hq=2 s=192 d=16 causal=upper_left", Attentions},
    {"attention", "hq=2 s=150 d=7 dv=9 causal=lower_right", Attentions},
    {"attention", "hq=2 sq=64 skv=256 d=8 causal=lower_right softmax_precision=f64", Attentions},
    {"attention", "hq=1 sq=128 skv=130 d=16 causal=upper_left empty_row=nan", Attentions},
    {"attention", "hq=6 hkv=2 sq=1 skv=1100 d=20", Attentions},
    {"attention", "b=2 hq=8 hkv=2 sq=2 skv=600 d=33 causal=lower_right key_lengths=1 window=90,0", Attentions},
    {"attention", "hq=4 hkv=1 sq=3 skv=70 d=5 mask=qk softcap=5 weights=1", Attentions},
    {"attention", "hq=4 hkv=2 sq=4 skv=40 d=12 dv=3 bias=hqk softmax_precision=f64", Attentions},
    {"attention", "hq=7 sq=26 skv=9 d=3 dv=8 layout=bshd empty_row=nan", Attentions},
    {"attention", "b=3 hq=16 sq=9 skv=1 d=1 dv=4 layout=bshd scale=-30", Attentions},
    {"attention", "hq=2 sq=144 skv=128 d=8 dv=1 layout=bshd", Attentions},
    // Products of bf16, which are computed in pairs: odd head sizes and odd numbers of keys leave a remainder.
    {"attention", "hq=2 s=128 d=32 rounding=bf16 layout=bshd", Attentions | Cpus},
    {"attention", "hq=2 s=192 d=16 causal=upper_left rounding=bf16", Attentions},
    {"attention", "b=2 hq=4 hkv=2 sq=70 skv=333 d=33 dv=9 key_lengths=1 rounding=bf16", Attentions | Cpus},
    {"attention", "hq=2 sq=1 skv=1100 d=20 rounding=bf16", Attentions},
    {"attention", "hq=2 sq=40 skv=7 d=1 dv=3 bias=qk softcap=5 rounding=bf16", Attentions | Stages},
    {"attention", "hq=2 s=35 d=16 mask=qk masked_score=-1e9 rounding=bf16", Hard | Stages},
    {"attention", "b=2 hq=2 s=70 d=33 bias=qk mask=qk empty_row=nan rounding=bf16", Hard},
    {"attention", "hq=4 hkv=2 sq=3 skv=135 d=17 window=90,0 empty_row=nan_to_zeros rounding=bf16", Hard},
    {"attention", "b=1..7 hq=4 s=70 d=32 rounding=bf16", Batches},
    {"attention", "hq=3 s=1..300 d=17 rounding=bf16", Positions | Guarded},
    {"attention", "b=2 hq=2 s=1..130 d=33 key_lengths=1 mask=b1qk causal=upper_left rounding=bf16", Guarded},
    {"attention", "hq=4 hkv=2 sq=3 skv=1..300 d=20 rounding=bf16", Guarded},
    {"attention", "h=4 hkv=2 s=65 d=16 causal=lower_right", Types},
    {"attention", "h=2 sq=1 skv=135 d=39 mask=k key_lengths=1", Types},
    {"attention", "h=2 s=33 d=15 bias=qk softcap=2 weights=1", Types},
    {"attention", "b=2 hq=4 s=12 d=4 layout=bshd", Types | Cpus | Stages},
    {"attention", "b=1 hq=2 hkv=1 s=39 d=16 mask=qk causal=lower_right", Cpus},
    {"attention", "b=1 hq=2 s=33 d=16", Stages},
    {"attention", "b=1 hq=4 hkv=2 sq=1 skv=65 d=16 causal=lower_right", Stages},
    {"attention", "b=1 hq=2 s=17 d=16 weights=1", Stages},
    {"attention", "b=1 hq=2 hkv=1 s=39 d=17", Hard},
    {"attention", "b=2 hq=2 hkv=2 sq=70 skv=135 d=16 causal=lower_right", Hard},
    {"attention", "b=1 hq=2 hkv=2 s=70 d=33 window=5,9 key_lengths=1", Hard},
    {"attention", "b=2 hq=2 hkv=2 s=70 d=16 mask=qk bias=1qk empty_row=nan", Hard},
    {"attention", "b=1 hq=2 hkv=2 s=35 d=16 mask=k masked_score=-1e9 softcap=5", Hard},
    {"attention", "b=2 hq=2 hkv=2 sq=1 skv=135 d=33 key_lengths=1", Hard},
    {"attention", "b=1 hq=4 hkv=2 sq=3 skv=70 d=16 mask=qk", Hard},
    {"attention", "b=1 hq=1 hkv=1 s=40 d=16 weights=1 bias=qk", Hard},
    {"attention", "b=2 hq=8 sq=13 skv=12 d=2 dv=5 layout=bshd", Attentions | Hard},
    {"attention", "b=1 hq=3 s=12 d=8 layout=bshd empty_row=nan", Hard},
    {"attention", "b=2 hq=2 hkv=2 s=70 d=16 mask=qk empty_row=nan_to_zeros", Hard},
    {"attention", "b=1 hq=2 hkv=1 sq=39 skv=135 d=16 causal=lower_right weights=1 empty_row=nan_to_zeros", Hard},
    {"attention", "b=1 hq=4 hkv=2 sq=3 skv=70 d=16 bias=qk empty_row=nan_to_zeros", Hard},
    {"attention", "b=2 hq=6 sq=13 skv=12 d=4 layout=bshd empty_row=nan_to_zeros", Hard},
    // Keys and values are the same tensor: a key with an infinite score also has an infinite value. In two of these
    // attention operations, the tensor also contains the queries.
    {"attention", R"mlir(
      func.func @main(%x: tensor<1x2x20x16xf32>) -> tensor<1x2x20x16xf32> {
        %0 = heddle.attention %x, %x, %x
          : (tensor<1x2x20x16xf32>, tensor<1x2x20x16xf32>, tensor<1x2x20x16xf32>) -> tensor<1x2x20x16xf32>
        return %0 : tensor<1x2x20x16xf32>
      })mlir",
     Hard},
    {"attention", R"mlir(
      func.func @main(%x: tensor<1x9x6x3xf32>) -> tensor<1x9x6x3xf32> {
        %0 = heddle.attention %x, %x, %x query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
          : (tensor<1x9x6x3xf32>, tensor<1x9x6x3xf32>, tensor<1x9x6x3xf32>) -> tensor<1x9x6x3xf32>
        return %0 : tensor<1x9x6x3xf32>
      })mlir",
     Hard},
    {"attention", R"mlir(
      func.func @main(%q: tensor<1x2x3x16xf32>, %x: tensor<1x2x70x16xf32>) -> tensor<1x2x3x16xf32> {
        %0 = heddle.attention %q, %x, %x
          : (tensor<1x2x3x16xf32>, tensor<1x2x70x16xf32>, tensor<1x2x70x16xf32>) -> tensor<1x2x3x16xf32>
        return %0 : tensor<1x2x3x16xf32>
      })mlir",
     Hard},
    {"attention", "b=1..7 hq=4 s=70 d=32", Batches},
    {"attention", "b=1..7 hq=4 hkv=2 s=33 d=17 causal=upper_left mask=b1qk layout=bshd", Batches},
    {"attention", "b=1..7 hq=2 s=40 d=16 mask=b11k bias=bhqk key_lengths=1", Batches},
    {"attention", "b=1..7 hq=2 s=70 d=32 weights=1", Batches},
    {"attention", "b=1..7 hq=2 sq=1 skv=100 d=16", Batches},
    {"attention", "b=1..7 hq=2 s=2 d=2 layout=bshd", Batches},
    // A call has so little work that it uses a second thread only if the batch is large.
    {"attention", "b=1..7 s=2 d=2", Batches},
    {"attention", "b=1..7 hq=4 s=20 d=4 layout=bshd", Batches},
    {"attention", "b=1..7 hq=2 s=200 d=32 softmax_precision=f64", Batches},
    // The numbers of queries and keys lie in ranges, so the last block of positions may be partial.
    {"attention", "hq=3 s=1..300 d=16", Positions | Guarded},
    {"attention", "hq=4 hkv=2 s=1..300 d=20 dv=9 causal=lower_right layout=bshd", Positions},
    {"attention", "hq=4 hkv=2 sq=3 skv=1..300 d=20", Positions | Guarded},
    {"attention", "hq=2 s=1..300 d=16 mask=qk bias=b1qk weights=1", Positions},
    {"attention", "hq=4 hkv=2 s=1..130 d=20 dv=9 causal=lower_right layout=bshd", Guarded},
    {"attention", "b=2 hq=2 s=1..130 d=33 key_lengths=1 mask=b1qk causal=upper_left", Guarded},
    {"attention", "b=2 hq=2 s=1..130 d=7 bias=b1qk window=5,5 softcap=5", Guarded},
    {"attention", "b=2 hq=2 sq=40 skv=1..130 d=9 mask=b11k softmax_precision=f64", Guarded},
    {"attention", "b=2 hq=2 sq=1..130 skv=40 d=9 mask=b11k bias=qk layout=bshd", Guarded},
    {"attention", "hq=4 hkv=2 sq=1 skv=1..300 d=17 dv=13 layout=bshd bias=hqk", Guarded},
    {"attention", "hq=2 sq=8 skv=1..130 d=64 mask=qk key_lengths=1", Guarded},
    {"attention", "hq=2 s=1..130 d=16 mask=qk bias=b1qk weights=1", Guarded},
    {"attention", "hq=2 s=1..77 d=7 weights=1 layout=bshd key_lengths=1", Guarded},
    {"attention", "s=1..77 d=1 weights=1", Guarded},
    {"linear_attention", "b=1 h=1 s=1 d=1", Here},
    {"linear_attention", "b=2 h=3 sq=17 skv=39 d=15 dv=33 scale=0.5", Here | Types | Hard},
    {"linear_attention", "b=1 h=2 s=64 d=16 normalized=1", Here | Hard},
    {"linear_attention", "b=1 h=2 s=135 d=39 feature_map=identity", Here},
    {"linear_attention", "b=1 h=2 s=9 d=5", Cpus},
    {"linear_attention", "b=1 h=2 s=17 d=15", Stages},
    {"linear_attention", "b=1..7 h=3 s=40 d=16 normalized=1", Batches},
    {"linear_attention", "h=2 s=1..300 d=16 normalized=1", Positions | Guarded},
    {"linear_attention", "h=2 sq=40 skv=1..300 d=9 dv=5 feature_map=identity", Positions | Guarded},
    {"linear_attention", "h=3 s=1..100 d=7 dv=5", Guarded},
    {"append", "c=1 d=1", Here},
    {"append", "b=2 h=3 s=5 c=40 d=39", Here | Types | Cpus | Stages | Hard},
    {"append", "h=2 s=7 c=7 d=64", Here},
    {"append", "b=1..7 h=2 s=3 c=20 d=16", Batches},
    {"append", "h=2 s=1..300 c=300 d=16", Positions},
    {"append", "b=2 h=2 s=1..100 c=100..200 d=7", Guarded},
    {"recurrent_attention", "s=1 d=1", Here},
    {"recurrent_attention", "b=2 hq=4 hkv=2 s=39 d=15 dv=33 decay=row scale=0.5", Here},
    {"recurrent_attention", "hq=2 s=65 d=64 dv=128 state=0", Here},
    {"recurrent_attention", "hq=3 s=1000 d=16 decay=none delta=0", Here},
    {"recurrent_attention", "hq=2 s=1000 d=16", Here},
    {"recurrent_attention", "b=2 hq=4 hkv=2 s=17 d=15 dv=33 decay=row", Types | Cpus | Hard},
    {"recurrent_attention", "hq=2 s=17 d=15", Stages},
    {"recurrent_attention", "hq=2 s=40 d=64 dv=128", Hard},
    {"recurrent_attention", "b=1..7 hq=4 hkv=2 s=9 d=16 dv=7", Batches},
    {"recurrent_attention", "hq=4 hkv=2 s=1..300 d=16 decay=row", Positions},
    {"recurrent_attention", "b=2 hq=2 hkv=1 s=1..100 d=7 dv=5", Guarded},
    {"rotary_embedding", "b=1 h=1 s=1 d=2", Here},
    {"rotary_embedding", "b=2 h=3 s=17 d=64", Here | Cpus | Hard},
    {"rotary_embedding", "b=1 h=2 s=39 d=34 r=16 interleaved=1", Here | Types | Hard},
    {"rotary_embedding", "b=2 h=2 s=15 d=16 layout=bshd", Here},
    {"rotary_embedding", "b=1 h=2 s=17 d=16", Stages},
    {"rotary_embedding", "b=1..7 h=5 s=17 d=16", Batches},
    {"rotary_embedding", "b=3 h=5 s=1..7 d=16 layout=bshd r=10 interleaved=1", Batches},
    {"rotary_embedding", "h=2 s=1..300 d=16", Positions | Guarded},
    {"rotary_embedding", "b=3 h=5 s=1..77 d=18 r=14 layout=bshd interleaved=1", Guarded},
    {"contraction", R"mlir(
      func.func @main(%a: tensor<2x17x39xf32>, %b: tensor<2x39x33xf32>) -> tensor<2x17x33xf32> {
        %zero = arith.constant 0.0 : f32
        %empty = tensor.empty() : tensor<2x17x33xf32>
        %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x17x33xf32>) -> tensor<2x17x33xf32>
        %0 = linalg.batch_matmul ins(%a, %b : tensor<2x17x39xf32>, tensor<2x39x33xf32>)
                                 outs(%zeros : tensor<2x17x33xf32>) -> tensor<2x17x33xf32>
        return %0 : tensor<2x17x33xf32>
      })mlir",
     Hard},
    {"general", R"mlir(
      func.func @main(%a: tensor<17x39xf32>, %b: tensor<17x39xf32>) -> tensor<17x39xf32> {
        %0 = math.tanh %a : tensor<17x39xf32>
        %1 = arith.mulf %0, %b : tensor<17x39xf32>
        %2 = arith.maximumf %1, %a : tensor<17x39xf32>
        return %2 : tensor<17x39xf32>
      })mlir",
     Hard},
    // Indices out of range are errors and are not clamped.
    {"checked_index", R"mlir(
      func.func @main(%places: tensor<5xi64>) -> tensor<5xi64> {
        %0 = heddle.checked_index %places of 2 : tensor<5xi64>
        return %0 : tensor<5xi64>
      })mlir",
     Stages},
};

bool TestedOperation::isModule() const { return llvm::StringRef(rest).contains("func.func"); }

std::string TestedOperation::text() const { return isModule() ? rest : std::string(op) + " " + rest; }

llvm::ArrayRef<TestedOperation> testedOperations() { return operationTable; }

std::vector<std::string> operationsOf(in::Test test) {
  std::vector<std::string> texts;
  for (const TestedOperation &operation : operationTable)
    if (operation.tests & test)
      texts.push_back(operation.text());
  return texts;
}

std::string testName(llvm::StringRef text) {
  std::string name = text.str();
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  return name;
}
