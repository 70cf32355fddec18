//===- VerifyStages.h - verification of a model stage by stage --*- C++ -*-===//

#ifndef HEDDLE_VERIFYSTAGES_H
#define HEDDLE_VERIFYSTAGES_H

#include "heddle/Compile.h"
#include "heddle/Verify.h"

namespace heddle {

/// Lowers a copy of `model` for the target and with the strategies of `how`, interprets it after each stage up to
/// `loops`, and prints a line for each compared output of @main or of a kernel. Returns whether all outputs are right.
/// `reference` is the reference of the imported model for `inputs`. `seed` determines the random order in which the
/// interpreter runs parallel iterations and tasks. Prints errors.
bool verifyStages(const Model &model, const CompileOptions &how, llvm::ArrayRef<Tensor> inputs, Reference reference,
                  uint64_t seed);

} // namespace heddle

#endif // HEDDLE_VERIFYSTAGES_H
