//===- attention_test.cpp - compiled attention against the interpreter ----===//
//
// 200 random quoted attentions, compiled for this machine, at one and at two
// threads: right within the contract's bound, and the same bits at both.
//
//===----------------------------------------------------------------------===//

#include "AttentionCases.h"
#include "Compiled.h"

#include "heddle/Registry.h"
#include "heddle/executor.h"

#include "mlir/IR/MLIRContext.h"

using namespace heddle;

constexpr unsigned numCases = 200, numGroups = 8;

namespace {
/// Groups, so that ctest can run them side by side.
struct CompiledAttention : testing::TestWithParam<unsigned> {
  CompiledAttention() : context(mlir::MLIRContext::Threading::DISABLED) {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    loadImportDialects(context);
    executor = heddle_executor_create(2);
  }
  ~CompiledAttention() override { heddle_executor_destroy(executor); }

  void check(const AttentionCase &test) {
    auto model = importModel(context, test.operation);
    ASSERT_TRUE(succeeded(model));
    auto main = model->module->lookupSymbol<mlir::func::FuncOp>("main");
    auto inputs = attentionInputs(main, test.seed);
    auto reference = computeReference(main, inputs, {});
    ASSERT_TRUE(succeeded(reference));
    std::vector<std::string> names;
    for (unsigned i = 0; i < main.getNumResults(); ++i)
      names.push_back(resultName(main, i));

    std::unique_ptr<Session> session = compileHere(std::move(*model));
    ASSERT_TRUE(session);
    auto alone = callWith(*session, inputs, nullptr), shared = callWith(*session, inputs, executor);
    expectRight(alone, names, *reference);
    EXPECT_EQ(alone, shared) << "two threads give other bits than one";
  }

  mlir::MLIRContext context;
  heddle_executor *executor;
};
} // namespace

TEST_P(CompiledAttention, AgreesWithTheInterpreter) {
  ASSERT_TRUE(executor);
  auto cases = attentionCases(numCases, 1);
  ASSERT_EQ(cases.size(), numCases);
  for (unsigned i = GetParam(); i < numCases; i += numGroups) {
    SCOPED_TRACE("case " + std::to_string(i) + ", inputs from seed " + std::to_string(cases[i].seed) + ": '" +
                 cases[i].operation + "'");
    check(cases[i]);
  }
}
INSTANTIATE_TEST_SUITE_P(Random, CompiledAttention, testing::Range(0u, numGroups));
