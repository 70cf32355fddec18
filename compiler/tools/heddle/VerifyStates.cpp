//===- VerifyStates.cpp - a model with states judged by scripts -----------===//

#include "VerifyStates.h"

#include "Progress.h"
#include "StateScript.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace heddle;

FailureOr<std::vector<Judgement>> heddle::verifyStates(const Model &model, Session &session, StringRef source,
                                                       const ScriptArguments &arguments,
                                                       const heddle_executor *executor) {
  SizeRanges ranges = rangesOf(model);
  std::vector<Judgement> judgements;
  unsigned likeOneCall = 0;
  double farthest = 0;
  for (unsigned i = 0; i < arguments.scripts; ++i) {
    Progress progress("script " + std::to_string(i + 1) + " of " + std::to_string(arguments.scripts));
    StateScript script(model, ranges, session, source, arguments.seed + i);
    if (failed(script.play(arguments.calls, executor, judgements)))
      return failure();
    likeOneCall += script.likeOneCall;
    farthest = std::max(farthest, script.farthest);
  }
  if (likeOneCall)
    llvm::errs() << "heddle: " << likeOneCall << " sequences are like one call without a past, in f64: at most "
                 << llvm::format("%.2g", farthest) << " apart\n";
  return worstOfOutputs(judgements);
}
