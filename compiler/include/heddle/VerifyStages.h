//===- VerifyStages.h - a model judged stage by stage ------------*- C++ -*-===//

#ifndef HEDDLE_VERIFYSTAGES_H
#define HEDDLE_VERIFYSTAGES_H

#include "heddle/Compile.h"
#include "heddle/Verify.h"

namespace heddle {

/// Lowers a copy of `model` as code for `how` is made, and prints what the interpreter says after each stage, a line
/// for each kernel's outputs. Whether all are right; other errors are printed.
bool verifyStages(const Model &model, const CompileOptions &how, llvm::ArrayRef<Tensor> inputs, Reference reference,
                  uint64_t seed);

} // namespace heddle

#endif // HEDDLE_VERIFYSTAGES_H
