//===- layers_test.cpp - the other compiled layers ------------------------===//
//
// Quoted operations of sizes that no tile divides, compiled for this machine.
//
//===----------------------------------------------------------------------===//

#include "Compiled.h"

using Layers = QuotedOperations;

static const char *const operations[] = {
    // One row, one column, one term; tails of every tile; longer than a block of the sum.
    "linear m=1 n=1 k=1",
    "linear m=1 n=64 k=384 bias=1",
    "linear m=2 n=15 k=17",
    "linear m=7 n=33 k=39 bias=1 activation=relu",
    "linear m=16 n=64 k=64 residual=1",
    "linear m=17 n=65 k=135 bias=1 residual=1 activation=gelu",
    "linear m=33 n=129 k=1000 bias=1 activation=gelu_tanh",
    "linear m=39 n=16 k=2 activation=silu bias=1",
    "linear m=64 n=135 k=16 activation=tanh",
    "linear m=135 n=200 k=39 bias=1 residual=1",
    "linear m=1 n=64 k=384 bias=1 weights=constant",
    "linear m=17 n=65 k=135 bias=1 residual=1 activation=gelu weights=constant",
    "linear m=135 n=200 k=39 activation=relu weights=constant",
    // Contractions in parts.
    "linear m=64 n=40 k=12288 weights=constant",
    "linear m=70 n=39 k=12288 bias=1 residual=1 activation=gelu weights=constant",
    "ffn m=65 k=17 h=12288 weights=constant",
    "ffn m=1 k=16 h=64",
    "ffn m=17 k=39 h=135 bias=1 residual=1",
    "ffn m=5 k=15 h=33 n=17 activation=relu",
    "ffn m=39 k=64 h=135 gated=1 activation=silu",
    "ffn m=17 k=39 h=65 gated=1 bias=1 residual=1 weights=constant",
    "layer_norm rows=1 d=1",
    "layer_norm rows=17 d=39",
    "layer_norm rows=128 d=384 residual=1",
    "layer_norm rows=15 d=135 scale=0 bias=0 epsilon=0.1",
    "rms_norm rows=1 d=16",
    "rms_norm rows=39 d=135 residual=1",
    "rms_norm rows=2 d=17 scale=0",
    "softmax rows=1 d=1",
    "softmax rows=17 d=39",
    "softmax rows=135 d=64 axis=0",
    "linear_attention b=1 h=1 s=1 d=1",
    "linear_attention b=2 h=3 sq=17 skv=39 d=15 dv=33 scale=0.5",
    "linear_attention b=1 h=2 s=64 d=16 normalized=1",
    "linear_attention b=1 h=2 s=135 d=39 feature_map=identity",
    "recurrent_attention s=1 d=1",
    "recurrent_attention b=2 hq=4 hkv=2 s=39 d=15 dv=33 decay=row scale=0.5",
    "recurrent_attention hq=2 s=65 d=64 dv=128 state=0",
    "recurrent_attention hq=3 s=1000 d=16 decay=none delta=0",
    "recurrent_attention hq=2 s=1000 d=16",
    "rotary_embedding b=1 h=1 s=1 d=2",
    "rotary_embedding b=2 h=3 s=17 d=64",
    "rotary_embedding b=1 h=2 s=39 d=34 r=16 interleaved=1",
    "rotary_embedding b=2 h=2 s=15 d=16 layout=bshd",
};

TEST_P(Layers, AgreeWithTheInterpreter) {
  check(operations[GetParam()], [&](mlir::func::FuncOp main) { return *heddle::randomInputs(main, GetParam()); });
}

static std::string nameOf(const testing::TestParamInfo<unsigned> &info) {
  std::string name = operations[info.param];
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Quoted, Layers, testing::Range(0u, unsigned(std::size(operations))), nameOf);
