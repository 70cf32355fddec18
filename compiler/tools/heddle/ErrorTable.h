//===- ErrorTable.h - the errors of code, case by case ----------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_ERRORTABLE_H
#define HEDDLE_TOOLS_ERRORTABLE_H

#include "heddle/Verify.h"

namespace heddle {

/// One output of one case.
struct Judgement {
  std::string name; // of the case; empty where there is but one
  Comparison comparison;
  int64_t overflows = 0; // elements left out: f32 cannot hold what leads to them
};

/// Compares output `i` of a case with the interpreter. `adversarial` inputs may leave the range
/// of f32 on the way.
Judgement judge(llvm::StringRef name, llvm::StringRef output, Tensor actual, const Reference &reference, unsigned i,
                bool adversarial);

/// A line for each: max abs error, bound, relative error (to the largest element), ok or FAIL.
void printErrorTable(llvm::raw_ostream &stream, llvm::ArrayRef<Judgement> judgements);

} // namespace heddle

#endif // HEDDLE_TOOLS_ERRORTABLE_H
