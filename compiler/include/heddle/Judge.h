//===- Judge.h - verification of compiled code case by case -----*- C++ -*-===//

#ifndef HEDDLE_JUDGE_H
#define HEDDLE_JUDGE_H

#include "heddle/Cases.h"
#include "heddle/Distance.h"
#include "heddle/Session.h"

namespace heddle {

/// The comparison of one output of one case.
struct Judgement {
  std::string sizes; // such as "m=37"; empty if no size lies in a range
  std::string name;  // the name of the case (Case::name); may be empty
  Comparison comparison;
  int64_t overflows = 0; // the number of elements that are excluded because their computation overflows f32
  // The positions that were compared; nothing if all were compared.
  std::optional<JudgedPositions> positions = std::nullopt;
  /// The distance from the output of the model before its precision was lowered. Set only if there is such a model, for
  /// outputs of floats in cases that are not adversarial, in the comparison with the interpreter.
  std::optional<Distance> fromF32 = std::nullopt;

  /// The sizes and the case, such as "m=37 random".
  std::string where() const { return sizes + (sizes.empty() || name.empty() ? "" : " ") + name; }
};

/// Calls the code with every case at the sizes of each point. Compares each output with the result of the interpreter
/// and with the expected output, if there is one. If `tolerance` is not negative, the absolute error of an output must
/// not exceed `tolerance`, in addition to the regular bound. Prints errors.
mlir::FailureOr<std::vector<Judgement>> judgeAll(Session &session, llvm::ArrayRef<PointCases> points,
                                                 const heddle_executor *executor, double tolerance = -1);

/// For each case and output, selects the comparison at one of the sizes: a failed comparison if there is any, else the
/// comparison with the largest error relative to its bound.
std::vector<Judgement> worstOfSizes(llvm::ArrayRef<Judgement> judgements);
/// For each output, selects one comparison among all cases and sizes by the same criteria as worstOfSizes.
std::vector<Judgement> worstOfOutputs(llvm::ArrayRef<Judgement> judgements);

} // namespace heddle

#endif // HEDDLE_JUDGE_H
