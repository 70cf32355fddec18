//===- ErrorTable.h - tables of errors, case by case ------------*- C++ -*-===//

#ifndef HEDDLE_ERRORTABLE_H
#define HEDDLE_ERRORTABLE_H

#include "heddle/Judge.h"

namespace heddle {

/// Returns the text `before`, followed by a description of what the comparison `judgement` excluded, such as "excluding
/// 37 of 160 positions where attention_mask is 0". Returns "" if nothing was excluded.
std::string describeLeftOut(const Judgement &judgement, llvm::StringRef before);
/// Prints a line for each judgement (the comparison of one output of one case) with the maximum absolute error, its
/// bound, the error relative to the largest element, and ok or FAIL.
void printErrorTable(llvm::raw_ostream &stream, llvm::ArrayRef<Judgement> judgements);
/// Prints the judgements as a JSON array. A number that is infinite or NaN is printed as null.
void printErrorJson(llvm::raw_ostream &stream, llvm::ArrayRef<Judgement> judgements);

/// Returns a line for each output with its largest distance, over all cases, from the output of the model before its
/// precision was lowered. `precision` is the name of the lowered precision. Returns no lines if there is no such model.
std::vector<std::string> describeDistances(llvm::ArrayRef<Judgement> judgements, llvm::StringRef precision);

} // namespace heddle

#endif // HEDDLE_ERRORTABLE_H
