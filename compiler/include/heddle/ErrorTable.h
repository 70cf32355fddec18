//===- ErrorTable.h - the errors of code, case by case ----------*- C++ -*-===//

#ifndef HEDDLE_ERRORTABLE_H
#define HEDDLE_ERRORTABLE_H

#include "heddle/Judge.h"

namespace heddle {

/// ", without 3 elements ..": what was left out of a comparison, behind `before`; empty where nothing was.
std::string describeOverflows(const Judgement &judgement, llvm::StringRef before);
/// A line for each: max abs error, bound, relative error (to the largest element), ok or FAIL.
void printErrorTable(llvm::raw_ostream &stream, llvm::ArrayRef<Judgement> judgements);
/// The same for programs.
void printErrorJson(llvm::raw_ostream &stream, llvm::ArrayRef<Judgement> judgements);

/// Of each output how far it is from the model that rounds nothing, at worst; no line where there is no such model.
std::vector<std::string> describeDistances(llvm::ArrayRef<Judgement> judgements, llvm::StringRef precision);

} // namespace heddle

#endif // HEDDLE_ERRORTABLE_H
