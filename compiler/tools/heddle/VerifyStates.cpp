//===- VerifyStates.cpp - a model with states judged by scripts -----------===//

#include "VerifyStates.h"

#include "Progress.h"
#include "StateScript.h"

using namespace mlir;
using namespace heddle;

FailureOr<std::vector<Judgement>> heddle::verifyStates(const Model &model, Session &session, StringRef source,
                                                       const ScriptArguments &arguments,
                                                       const heddle_executor *executor) {
  SizeRanges ranges = rangesOf(model);
  std::vector<Judgement> judgements;
  for (unsigned i = 0; i < arguments.scripts; ++i) {
    Progress progress("script " + std::to_string(i + 1) + " of " + std::to_string(arguments.scripts));
    StateScript script(model, ranges, session, source, arguments.seed + i);
    if (failed(script.play(arguments.calls, executor, judgements)))
      return failure();
  }
  return worstOfOutputs(judgements);
}
