//===- variants_test.cpp - libraries for several CPUs ---------------------===//
//
// The code of each variant that this machine runs, against the interpreter, and the
// same bits at any number of threads.
//
//===----------------------------------------------------------------------===//

#include "Compiled.h"

using namespace heddle;

namespace {

constexpr const char *operations[] = {
    // Panels that wide tiles read three at a time, and what is left of them: whole ones, some columns, both.
    "linear m=20 n=100 k=64 bias=1 activation=gelu weights=constant",
    "linear m=1 n=70 k=33 residual=1 weights=constant",
    "linear m=70 n=150 k=3600 weights=constant", // in parts along k
    "linear m=37 n=44 k=18 bias=1 weights=constant",
    "linear m=17 n=80 k=48 weights=constant",
    "linear m=16 n=96 k=50 residual=1 weights=constant",
    "linear m=6 n=176 k=20 bias=1 weights=constant",
    "ffn m=9 k=40 hidden=150 gated=1 activation=silu weights=constant",
    "ffn m=300 k=32 hidden=64 bias=1 residual=1 weights=constant",
    "linear m=20 n=100 k=64",
    "attention b=1 hq=2 hkv=1 s=39 d=16 mask=qk causal=lower_right",
    "attention b=2 hq=4 hkv=4 s=12 d=4 layout=bshd",
    "layer_norm rows=17 d=39",
    "softmax rows=130 d=77",
    "linear_attention b=1 h=2 s=9 d=5",
};
constexpr const char *cpus = "x86-64-v2,x86-64-v4,x86-64-v3";

struct Variants : QuotedOperations {
  Variants() : three(heddle_executor_create(3)) { EXPECT_TRUE(three); }
  ~Variants() override { heddle_executor_destroy(three); }

  FailureOr<CompiledModel> compile(Model model, const char *cpus) {
    CompileOptions options;
    options.target = {"cpu", "x86_64-linux-gnu", cpus, ""};
    return compileModel(std::move(model), options);
  }
  llvm::Expected<std::unique_ptr<Session>> load(const CompiledModel &compiled, llvm::StringRef variant) {
    return Session::fromObject(llvm::MemoryBuffer::getMemBufferCopy(compiled.object->getBuffer(), "model"), "model",
                               compiled.weights, variant);
  }

  heddle_executor *three;
};

TEST_P(Variants, AreRightAtAnyNumberOfThreads) {
  SCOPED_TRACE(operations[GetParam()]);
  auto model = importModel(context, operations[GetParam()]);
  ASSERT_TRUE(succeeded(model));
  mlir::OwningOpRef<mlir::ModuleOp> imported = model->module->clone();
  auto main = imported->lookupSymbol<mlir::func::FuncOp>("main");
  auto inputs = randomInputs(main, 7);
  ASSERT_TRUE(succeeded(inputs));
  auto reference = computeReference(main, *inputs, weightsFrom(model->weights));
  ASSERT_TRUE(succeeded(reference));
  auto compiled = compile(std::move(*model), cpus);
  ASSERT_TRUE(succeeded(compiled));
  ASSERT_EQ(compiled->variants.size(), 3u);
  unsigned measured = 0;
  for (const CompiledVariant &variant : compiled->variants) {
    SCOPED_TRACE(variant.name);
    EXPECT_GT(variant.codeSize, 0u);
    EXPECT_LE(variant.arenaSize, compiled->arenaSize);
    EXPECT_LE(variant.workerSize, compiled->workerSize);
    EXPECT_LE(variant.stackSize, compiled->stackSize);
    auto session = load(*compiled, variant.name);
    if (!session) {
      EXPECT_EQ(llvm::toString(session.takeError()), "model: this CPU lacks features that the code was compiled for");
      continue;
    }
    ++measured;
    EXPECT_EQ((*session)->model().arena_size(nullptr, 2), compiled->arenaSize + compiled->workerSize);
    auto alone = callWith(**session, *inputs, nullptr);
    expectRight(alone, {resultName(main, 0)}, *reference);
    EXPECT_EQ(alone, callWith(**session, *inputs, executor)) << "two threads";
    EXPECT_EQ(alone, callWith(**session, *inputs, three)) << "three threads";
  }
  EXPECT_GT(measured, 0u);
}
INSTANTIATE_TEST_SUITE_P(Operation, Variants, testing::Range(0u, unsigned(std::size(operations))));

TEST_F(Variants, OfNarrowVectorsComputeWhatTheyComputeAlone) {
  auto both = importModel(context, operations[0]), alone = importModel(context, operations[0]);
  ASSERT_TRUE(succeeded(both) && succeeded(alone));
  auto inputs = randomInputs(both->module->lookupSymbol<mlir::func::FuncOp>("main"), 7);
  ASSERT_TRUE(succeeded(inputs));
  auto several = compile(std::move(*both), "x86-64-v4,x86-64-v2"), one = compile(std::move(*alone), "x86-64-v2");
  ASSERT_TRUE(succeeded(several) && succeeded(one));
  auto first = load(*several, "x86-64-v2"), second = load(*one, "");
  ASSERT_TRUE(bool(first)) << llvm::toString(first.takeError());
  ASSERT_TRUE(bool(second)) << llvm::toString(second.takeError());
  EXPECT_EQ(callWith(**first, *inputs, nullptr), callWith(**second, *inputs, nullptr));
}

} // namespace
