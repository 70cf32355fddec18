//===- stage_bisect_test.cpp - what is broken is named --------------------===//
//
// Each case breaks what one stage leaves behind, as a wrong pass, strategy or lowering
// would, and expects that stage and that kernel to be named, and no other.
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

  /// Runs the stages up to `last`; `change` gets the module after that one.
  std::vector<StageJudgement> judge(const Break &test, bool (*change)(mlir::ModuleOp)) {
    std::string folder = HEDDLE_TEST_DATA "/..";
    auto model = importModel(context, test.model[0] == '/' ? folder + test.model : test.model);
    EXPECT_TRUE(succeeded(model));
    auto main = model->module->lookupSymbol<mlir::func::FuncOp>("main");
    auto inputs = randomInputs(main, 1);
    auto reference = computeReference(main, *inputs, weightsFrom(model->weights));
    // Of one CPU, so that all machines see the same code; none runs it.
    auto target = createTarget(main.getLoc(), {"cpu", "x86_64-pc-linux-gnu", "x86-64-v4", ""});
    StageBisect bisect(*inputs, *reference, model->weights, 1);
    PipelineOptions options;
    options.target = target->get();
    if (*test.strategy)
      options.strategies = {std::string(test.strategyFor) + "=" + folder + "/verify/Inputs/" + test.strategy};
    options.afterStage = [&](Stage stage, mlir::ModuleOp module) {
      if (stage == test.stage && change)
        EXPECT_TRUE(change(module)) << "there is nothing to break";
      return bisect.judge(stage, module);
    };
    EXPECT_TRUE(succeeded(runStages(*model->module, Stage::Import, test.stage, options)));
    return bisect.judgements();
  }

  mlir::MLIRContext context;
};

TEST_P(StageBisectTest, NamesWhatIsBroken) {
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

TEST_P(UnbrokenStages, FindsNothingWhereNothingIsBroken) {
  for (const StageJudgement &judgement : judge(GetParam(), nullptr))
    EXPECT_TRUE(judgement.comparison.ok) << judgement.text();
}

/// Of those that change a module: a strategy is broken itself.
std::vector<Break> changes() {
  std::vector<Break> changes = breaks();
  llvm::erase_if(changes, [](const Break &one) { return *one.strategy != 0; });
  return changes;
}
std::string nameOf(const testing::TestParamInfo<Break> &info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Breaks, StageBisectTest, testing::ValuesIn(breaks()), nameOf);
INSTANTIATE_TEST_SUITE_P(Breaks, UnbrokenStages, testing::ValuesIn(changes()), nameOf);

} // namespace
