//===- VerifyStates.h - verification of models with states ------*- C++ -*-===//

#ifndef HEDDLE_VERIFYSTATES_H
#define HEDDLE_VERIFYSTATES_H

#include "heddle/Judge.h"
#include "heddle/Ranges.h"

namespace heddle {

/// How many random sequences of calls (scripts) to run.
struct ScriptOptions {
  unsigned scripts = 4, calls = 8; // the number of scripts, and of the calls of each script
  uint64_t seed = 1; // the seed of the first script; each further script has the next seed
};

/// Runs scripts of calls (compiler/verify/StateScript.h) on code that was compiled from the model. `source` is the name
/// of the library or runner in messages. Returns, for each output and state, the comparison of one call: a failed
/// comparison if there is any, else the comparison with the largest error relative to its bound. Prints errors. Also
/// prints for how many sequences of a batch the interpreter's results of several calls agree with those of one call
/// that gets all rows of the sequence and no past (StateScript::likeOneCall).
mlir::FailureOr<std::vector<Judgement>> verifyStates(const Model &model, Session &session, llvm::StringRef source,
                                                     const ScriptOptions &options, const heddle_executor *executor);

} // namespace heddle

#endif // HEDDLE_VERIFYSTATES_H
