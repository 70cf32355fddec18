//===- VerifyStages.cpp - heddle verify --stages --------------------------===//

#include "heddle/VerifyStages.h"

#include "heddle/Pipeline.h"
#include "heddle/Progress.h"
#include "heddle/StageBisect.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace heddle;

bool heddle::verifyStages(const Model &model, const CompileOptions &how, ArrayRef<Tensor> inputs, Reference reference,
                          uint64_t seed) {
  OwningOpRef<ModuleOp> module = cast<ModuleOp>(model.module.get()->clone());
  FailureOr<std::unique_ptr<Target>> target = createTarget(module->getLoc(), how.target);
  if (failed(target))
    return false;
  StageBisect bisect(inputs, std::move(reference), model.weights, seed);
  PipelineOptions options;
  options.target = target->get();
  options.strategies = how.strategies;
  // After each stage, `bisect` interprets the module and compares the results of its functions with their references.
  // The new comparisons are printed.
  options.afterStage = [&](Stage stage, ModuleOp after) -> LogicalResult {
    size_t printed = bisect.judgements().size();
    {
      Progress progress(("interpreting after stage " + stageName(stage)).str());
      if (failed(bisect.judge(stage, after)))
        return failure();
    }
    for (const StageJudgement &judgement : bisect.judgements().drop_front(printed))
      llvm::outs() << judgement.text() << "\n";
    return success();
  };
  if (failed(runStages(*module, Stage::Import, Stage::Loops, options)))
    return false;
  return bisect.ok();
}
