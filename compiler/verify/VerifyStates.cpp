//===- VerifyStates.cpp - verification of models with states --------------===//

#include "heddle/VerifyStates.h"

#include "StateScript.h"

#include "heddle/Progress.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace heddle;

FailureOr<std::vector<Judgement>> heddle::verifyStates(const Model &model, Session &session, StringRef source,
                                                       const ScriptOptions &options, const heddle_executor *executor) {
  SizeRanges ranges = rangesOf(model);
  std::vector<Judgement> judgements;
  unsigned likeOneCall = 0;
  double farthest = 0;
  for (unsigned i = 0; i < options.scripts; ++i) {
    Progress progress("script " + std::to_string(i + 1) + " of " + std::to_string(options.scripts));
    StateScript script(model, ranges, session, source, options.seed + i);
    if (failed(script.play(options.calls, executor, judgements)))
      return failure();
    likeOneCall += script.likeOneCall;
    farthest = std::max(farthest, script.farthest);
  }
  if (likeOneCall)
    llvm::errs() << "heddle: for " << likeOneCall << (likeOneCall == 1 ? " sequence" : " sequences")
                 << " of rows, the interpreter's results of several calls agree with those of one call that gets all "
                    "rows and no past, in f64: the largest difference is "
                 << llvm::format("%.2g", farthest) << "\n";
  return worstOfOutputs(judgements);
}
