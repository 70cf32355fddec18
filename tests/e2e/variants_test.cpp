//===- variants_test.cpp - libraries for several CPUs ---------------------===//
//
// A variant is the code for one CPU in a library that contains code for several CPUs. The tests compare the results of
// each variant that this machine can run with the interpreter, and check that they have the same bits on one, two and
// three threads.
//
//===----------------------------------------------------------------------===//

#include "Compiled.h"
#include "Operations.h"

using namespace heddle;

namespace {

constexpr const char *cpus = "x86-64-v2,x86-64-v4,x86-64-v3";

struct Variants : QuotedOperations {
  Variants() : three(heddle_executor_create(3)) { EXPECT_TRUE(three); }
  ~Variants() override { heddle_executor_destroy(three); }

  FailureOr<CompiledModel> compile(Model model, const char *cpus) {
    CompileOptions options;
    options.target = {"cpu", "x86_64-linux-gnu", cpus, ""};
    return compileModel(std::move(model), options);
  }
  /// Loads one variant of the model. An empty name means the variant that the library selects for this CPU.
  llvm::Expected<std::unique_ptr<Session>> load(const CompiledModel &compiled, llvm::StringRef variant) {
    return Session::fromObject(llvm::MemoryBuffer::getMemBufferCopy(compiled.object->getBuffer(), "model"), "model",
                               compiled.weights, variant);
  }

  heddle_executor *three; // runs tasks on three threads; owned by the fixture
};

TEST_P(Variants, AreRightOnAnyNumberOfThreads) {
  std::string operation = operationsOf(in::Cpus)[GetParam()];
  SCOPED_TRACE(operation);
  auto model = importModel(context, operation);
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
  std::vector<std::string> names;
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    names.push_back(resultName(main, i));
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
    expectRight(alone, names, *reference);
    EXPECT_EQ(alone, callWith(**session, *inputs, executor)) << "two threads return other bits than one thread";
    EXPECT_EQ(alone, callWith(**session, *inputs, three)) << "three threads return other bits than one thread";
  }
  EXPECT_GT(measured, 0u);
}
INSTANTIATE_OPERATIONS(Variants, Cpus);

/// All variants of a library read the same packed weights, also if their vectors have different widths. The variant for
/// x86-64-v2 must return the same bits as a library for x86-64-v2 alone.
TEST_F(Variants, WithNarrowVectorsAreAsInALibraryForOneCpu) {
  const char *operation = "linear m=20 n=100 k=64 bias=1 activation=gelu weights=constant";
  auto both = importModel(context, operation), alone = importModel(context, operation);
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
