//===- stage_bisect_test.cpp - simulated bugs are located -----------------===//
//
// StageBisect interprets the module after each stage of the compiler and compares the results of each kernel with the
// reference. Each test changes the output of one stage, as a wrong pass, strategy or lowering would. StageBisect must
// name this stage and the kernel that was changed, and no other stage or kernel.
//
//===----------------------------------------------------------------------===//

#include "Breaks.h"

#include "heddle/Import.h"
#include "heddle/Pipeline.h"
#include "heddle/Registry.h"
#include "heddle/StageBisect.h"
#include "heddle/Target.h"

#include "gtest/gtest.h"

using namespace heddle;

namespace {

struct StageBisectTest : testing::TestWithParam<Break> {
  StageBisectTest() : context(mlir::MLIRContext::Threading::DISABLED) {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    loadImportDialects(context);
  }

  /// Runs the stages up to `test.stage`, with `change` (if not null) applied to the module after this stage. Returns
  /// the comparisons of StageBisect, one for each output of a kernel after each stage.
  std::vector<StageJudgement> judge(const Break &test, bool (*change)(mlir::ModuleOp)) {
    std::string folder = HEDDLE_TEST_DATA "/.."; // the folder tests; a model that begins with / is a path in it
    auto model = importModel(context, test.model[0] == '/' ? folder + test.model : test.model);
    EXPECT_TRUE(succeeded(model));
    auto main = model->module->lookupSymbol<mlir::func::FuncOp>("main");
    auto inputs = randomInputs(main, 1);
    auto reference = computeReference(main, *inputs, weightsFrom(model->weights));
    // The code, which is not executed, is for a fixed CPU, so that it is the same on all machines.
    auto target = createTarget(main.getLoc(), {"cpu", "x86_64-pc-linux-gnu", "x86-64-v4", ""});
    StageBisect bisect(*inputs, *reference, model->weights, 1);
    PipelineOptions options;
    options.target = target->get();
    if (*test.strategy)
      options.strategies = {std::string(test.strategyFor) + "=" + folder + "/verify/Inputs/" + test.strategy};
    options.afterStage = [&](Stage stage, mlir::ModuleOp module) {
      if (stage == test.stage && change)
        EXPECT_TRUE(change(module)) << "nothing was changed";
      return bisect.judge(stage, module);
    };
    EXPECT_TRUE(succeeded(runStages(*model->module, Stage::Import, test.stage, options)));
    return bisect.judgements();
  }

  mlir::MLIRContext context;
};

TEST_P(StageBisectTest, NamesTheStageAndTheKernel) {
  const Break &test = GetParam();
  unsigned failures = 0;
  for (const StageJudgement &judgement : judge(test, test.change)) {
    if (judgement.comparison.ok)
      continue;
    ++failures;
    EXPECT_EQ(stageName(judgement.stage).str(), stageName(test.stage).str()) << judgement.text();
    EXPECT_EQ(judgement.kernel, test.kernel) << judgement.text();
    EXPECT_NE(judgement.text().find(test.says), std::string::npos) << judgement.text();
    EXPECT_TRUE(llvm::StringRef(judgement.text()).ends_with(": FAIL")) << judgement.text();
  }
  EXPECT_GE(failures, 1u);
}

using UnbrokenStages = StageBisectTest;

/// Without the change, all comparisons succeed.
TEST_P(UnbrokenStages, FindsNothing) {
  for (const StageJudgement &judgement : judge(GetParam(), nullptr))
    EXPECT_TRUE(judgement.comparison.ok) << judgement.text();
}

/// Returns the simulated bugs that change a module, without those that use a wrong strategy.
std::vector<Break> changes() {
  std::vector<Break> changes = breaks();
  llvm::erase_if(changes, [](const Break &one) { return *one.strategy != 0; });
  return changes;
}
std::string nameOf(const testing::TestParamInfo<Break> &info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Breaks, StageBisectTest, testing::ValuesIn(breaks()), nameOf);
INSTANTIATE_TEST_SUITE_P(Breaks, UnbrokenStages, testing::ValuesIn(changes()), nameOf);

} // namespace
