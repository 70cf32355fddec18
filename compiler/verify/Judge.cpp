//===- Judge.cpp - verification of compiled code --------------------------===//

#include "heddle/Judge.h"

#include "heddle/Calls.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// Returns `output` with NaN or 0 at all positions that the case does not compare.
static Tensor judgedPart(const Case &test, Tensor output) {
  if (test.positions)
    test.positions->clearOthers(output);
  return output;
}

/// Compares output `i` of a case with the interpreter. Excludes elements that overflow: for adversarial inputs, the
/// elements that dropOverflows excludes (Verify.h), such as all elements whose result in the interpreter overflows in
/// f32; for other inputs, only elements that overflow in f32 to the same value in the interpreter and in the compiled
/// code.
static Judgement judge(StringRef sizes, const Case &test, StringRef output, Tensor actual, const Reference &reference,
                       unsigned i) {
  Judgement result{sizes.str(), test.name, {}};
  Reference copy;
  copy.wide.push_back(judgedPart(test, reference.wide[i]));
  copy.narrow.push_back(judgedPart(test, reference.narrow[i]));
  auto isFinite = [](const std::optional<Tensor> &input) {
    return !input || !input->isFloat() || llvm::all_of(input->floats(), [](double x) { return std::isfinite(x); });
  };
  result.overflows = test.adversarial ? dropOverflows(actual, copy, 0, llvm::all_of(test.inputs, isFinite))
                                      : dropSharedOverflows(actual, copy, 0);
  result.comparison = compare(output, actual, copy.wide[0], copy.narrow[0]);
  return result;
}

/// Applies the user's own bound (--tolerance) in addition to the regular bound.
static void applyTolerance(Comparison &comparison, double tolerance) {
  if (tolerance < 0 || !comparison.ok || comparison.error <= tolerance)
    return;
  comparison.ok = false;
  llvm::raw_string_ostream(comparison.problem) << llvm::format("error above --tolerance %g", tolerance);
}

/// Compares the outputs `actual` of case `number` with the interpreter and, if the case has them, with expected
/// outputs. Appends the results to `judgements`.
static void judgeCase(std::vector<Judgement> &judgements, const PointCases &point, size_t number,
                      ArrayRef<Tensor> actual, double tolerance) {
  const Case &test = point.cases[number];
  const Reference &reference = point.references[number];
  ArrayRef<Tensor> inF32 = point.inF32.empty() ? ArrayRef<Tensor>() : ArrayRef<Tensor>(point.inF32[number]);
  const std::string &sizes = point.at.name;
  for (auto [i, whole] : llvm::enumerate(actual)) {
    std::string name = resultName(point.main(), i);
    Tensor output = judgedPart(test, whole);
    size_t first = judgements.size();
    judgements.push_back(judge(sizes, test, name, output, reference, i));
    applyTolerance(judgements.back().comparison, tolerance);
    if (!inF32.empty() && output.isFloat())
      judgements.back().fromF32 = distanceBetween(output, judgedPart(test, inF32[i]));
    if (test.expected[i]) {
      judgements.push_back({sizes, test.name,
                            compareExpected(name, output, judgedPart(test, *test.expected[i]),
                                            judgedPart(test, reference.wide[i]), judgedPart(test, reference.narrow[i]))});
      applyTolerance(judgements.back().comparison, tolerance);
    }
    for (Judgement &judgement : MutableArrayRef(judgements).drop_front(first))
      judgement.positions = test.positions;
  }
}

FailureOr<std::vector<Judgement>> heddle::judgeAll(Session &session, ArrayRef<PointCases> points,
                                                   const heddle_executor *executor, double tolerance) {
  std::vector<Judgement> judgements;
  for (const PointCases &point : points) {
    session.setSizes(point.sizes);
    for (auto [i, test] : llvm::enumerate(point.cases)) {
      auto actual = call(session, point.main(), test.inputs, executor);
      if (failed(actual))
        return failure();
      judgeCase(judgements, point, i, *actual, tolerance);
    }
  }
  return judgements;
}

/// Returns the error as a fraction of its bound; infinity if the comparison failed.
static double shareOfBound(const Comparison &comparison) {
  return !comparison.ok ? INFINITY : comparison.bound > 0 ? comparison.error / comparison.bound : 0;
}

/// Groups the comparisons by `keyOf`. Returns from each group the comparison whose error is the largest fraction of its
/// bound.
static std::vector<Judgement> worstOf(ArrayRef<Judgement> judgements,
                                      function_ref<std::pair<StringRef, StringRef>(const Judgement &)> keyOf) {
  llvm::MapVector<std::pair<StringRef, StringRef>, const Judgement *> worst;
  for (const Judgement &judgement : judgements) {
    const Judgement *&found = worst[keyOf(judgement)];
    if (!found || shareOfBound(judgement.comparison) > shareOfBound(found->comparison))
      found = &judgement;
  }
  std::vector<Judgement> found;
  for (auto &entry : worst)
    found.push_back(*entry.second);
  return found;
}

std::vector<Judgement> heddle::worstOfSizes(ArrayRef<Judgement> judgements) {
  return worstOf(judgements, [](const Judgement &judgement) {
    return std::pair<StringRef, StringRef>(judgement.name, judgement.comparison.output);
  });
}

std::vector<Judgement> heddle::worstOfOutputs(ArrayRef<Judgement> judgements) {
  return worstOf(judgements, [](const Judgement &judgement) {
    return std::pair<StringRef, StringRef>("", judgement.comparison.output);
  });
}
