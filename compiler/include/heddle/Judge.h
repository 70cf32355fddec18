//===- Judge.h - compiled code judged case by case --------------*- C++ -*-===//

#ifndef HEDDLE_JUDGE_H
#define HEDDLE_JUDGE_H

#include "heddle/Cases.h"
#include "heddle/Distance.h"
#include "heddle/Session.h"

namespace heddle {

/// One output of one case.
struct Judgement {
  std::string sizes; // "m=37"; empty without ranges
  std::string name;  // of the case; empty where there is but one
  Comparison comparison;
  int64_t overflows = 0; // elements left out: f32 cannot hold what leads to them
  /// From the model that rounds nothing; of the comparison with the interpreter, where there is such a model.
  std::optional<Distance> fromF32 = std::nullopt;

  /// "m=37 random".
  std::string where() const { return sizes + (sizes.empty() || name.empty() ? "" : " ") + name; }
};

/// Calls code on every case at the sizes of each point. `tolerance`, if not negative, is the user's own bound. Errors
/// are printed.
mlir::FailureOr<std::vector<Judgement>> judgeAll(Session &session, llvm::ArrayRef<PointCases> points,
                                                 const heddle_executor *executor, double tolerance = -1);

/// Of each case and output the judgement at the sizes where it is the nearest to its bound, or beyond it.
std::vector<Judgement> worstOfSizes(llvm::ArrayRef<Judgement> judgements);
/// The same of each output, whatever the case.
std::vector<Judgement> worstOfOutputs(llvm::ArrayRef<Judgement> judgements);

} // namespace heddle

#endif // HEDDLE_JUDGE_H
