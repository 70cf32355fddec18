//===- Operation.h - one operation, given in words --------------*- C++ -*-===//
//
// Operation, knobs, operands and results: all f32; a knob without a value is 1.
//
// attention         q, k, v [, bias, mask, key_lengths] -> out [, weights]
//   b=1 hq=1 hkv=HQ sq skv s (both) d dv=D, scale softcap masked_score (numbers),
//   causal=none|lower_right|upper_left window=LEFT,RIGHT empty_row=zeros|nan
//   softmax_precision=f32|f64 key_lengths=0|1 weights=0|1 layout=bhsd|bshd,
//   bias and mask: 1 for [b,hq,sq,skv], or the dimensions that are not
//   broadcast, such as b11k, 1hqk or (the last ones) qk
// linear_attention  q, k, v -> out
//   b=1 h=1 s (sq) skv=S d dv=D scale=1 feature_map=identity|elu_plus_one normalized=0|1
// linear            input, weight [, bias, residual] -> out
//   m (rows) n k activation=none|relu|gelu|gelu_tanh|silu|tanh bias=0|1 residual=0|1
//   weights=input|constant (constant: random, part of the model)
// ffn               input [, gate, gate_bias], up [, up_bias], down [, down_bias, residual] -> out
//   m (rows) k (d) h (hidden) n=K gated=0|1 activation=gelu bias residual weights
// layer_norm        input [, scale, bias, residual] -> out
//   rows (m) d scale=1 bias=1 residual=0 epsilon=1e-5
// rms_norm          input [, scale, residual] -> out
// softmax           input -> out: rows (m) d axis=0|1
// rotary_embedding  input, cosine, sine -> out: b=1 h=1 s d r=D interleaved=0|1 layout
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_OPERATION_H
#define HEDDLE_IMPORT_OPERATION_H

#include "heddle/Import.h"

namespace heddle {

/// Whether `text` starts with the name of an operation that importOperation knows.
bool namesOperation(llvm::StringRef text);

/// Imports e.g. 'attention b=1 hq=12 s=512 d=64 causal=lower_right': a function
/// that is this one operation, with its operands as arguments.
mlir::FailureOr<Model> importOperation(mlir::MLIRContext &context, llvm::StringRef text,
                                       const ImportOptions &options);

} // namespace heddle

#endif // HEDDLE_IMPORT_OPERATION_H
