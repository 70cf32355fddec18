//===- VerifyStates.h - a model with states judged by scripts ---*- C++ -*-===//

#ifndef HEDDLE_VERIFYSTATES_H
#define HEDDLE_VERIFYSTATES_H

#include "heddle/Judge.h"
#include "heddle/Ranges.h"

namespace heddle {

struct ScriptOptions {
  unsigned scripts = 4, calls = 8;
  uint64_t seed = 1; // of the first; each that follows has the next number
};

/// Plays scripts of calls (StateScript.h) on code that was made from the model. Of each output and state what is
/// nearest to its bound, or beyond it.
mlir::FailureOr<std::vector<Judgement>> verifyStates(const Model &model, Session &session, llvm::StringRef source,
                                                     const ScriptOptions &options, const heddle_executor *executor);

} // namespace heddle

#endif // HEDDLE_VERIFYSTATES_H
