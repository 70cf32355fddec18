//===- floats_test.cpp - layers in f16, bf16 and f64 ----------------------===//
//
// Quoted operations in every type that tensors have, for CPUs with and without conversions of f16.
//
//===----------------------------------------------------------------------===//

#include "Compiled.h"

using Floats = QuotedOperations;

static const char *const operations[] = {
    "linear m=1 n=135 k=39 bias=1 weights=constant",
    "linear m=17 n=65 k=135 bias=1 residual=1 activation=gelu",
    "linear m=40 n=100 k=77 weights=constant activation=relu",
    "ffn m=17 k=39 h=65 gated=1 bias=1 residual=1 weights=constant activation=silu",
    "layer_norm rows=17 d=39 residual=1",
    "rms_norm rows=5 d=135",
    "softmax rows=17 d=39",
    "softmax rows=35 d=17 axis=0",
    "attention h=4 hkv=2 s=65 d=16 causal=lower_right",
    "attention h=2 sq=1 skv=135 d=39 mask=k key_lengths=1",
    "attention h=2 s=33 d=15 bias=qk softcap=2 weights=1",
    "attention h=4 s=12 d=4 layout=bshd",
    "linear_attention h=3 sq=17 skv=39 d=15 dv=33",
    "recurrent_attention hq=4 hkv=2 s=17 d=15 dv=33 decay=row",
    "rotary_embedding b=2 h=3 s=17 d=38 r=16 interleaved=1",
    "linear m=7 n=33 k=39 activation=gelu_tanh",
};
static const char *const types[] = {"f16", "bf16", "f64"};
static const char *const cpus[] = {"native", "x86-64-v3", "x86-64"};

TEST_P(Floats, AgreeWithTheInterpreter) {
  unsigned operation = GetParam() / 3, type = GetParam() % 3;
#ifdef __x86_64__
  cpu = cpus[(operation + type) % 3];
#endif
  check(std::string(operations[operation]) + " type=" + types[type],
        [&](mlir::func::FuncOp main) { return *heddle::randomInputs(main, GetParam()); });
}

static std::string nameOf(const testing::TestParamInfo<unsigned> &info) {
  std::string name = std::string(operations[info.param / 3]) + "_" + types[info.param % 3];
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Quoted, Floats, testing::Range(0u, unsigned(3 * std::size(operations))), nameOf);
