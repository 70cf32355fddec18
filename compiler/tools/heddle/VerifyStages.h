//===- VerifyStages.h - heddle verify --stages ------------------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_VERIFYSTAGES_H
#define HEDDLE_TOOLS_VERIFYSTAGES_H

#include "CompileArguments.h"

#include "heddle/Verify.h"

namespace heddle {

/// Lowers a copy of `model` and prints what the interpreter says after each stage, a line for each kernel's outputs.
/// The exit status.
int verifyStages(const Model &model, const CompileArguments &compile, llvm::ArrayRef<Tensor> inputs,
                 Reference reference, uint64_t seed);

} // namespace heddle

#endif // HEDDLE_TOOLS_VERIFYSTAGES_H
