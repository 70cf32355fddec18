//===- Passport.h - the measured error of compiled code ---------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_PASSPORT_H
#define HEDDLE_TOOLS_PASSPORT_H

#include "CompileArguments.h"

#include "heddle/Compile.h"
#include "heddle/Verify.h"

#include <optional>

namespace heddle {

/// What the interpreter says of a model on random and adversarial inputs, and how far code is from it.
class Passport {
public:
  /// Interprets the model as it was imported. Errors are printed.
  static std::optional<Passport> create(const Model &model);

  /// Runs the code of each variant and compares every output: a line for each case, or one that says that this machine
  /// cannot run it. An output beyond its bound is a failure, as is code of which this machine runs none.
  mlir::FailureOr<std::vector<std::string>> measure(const CompiledModel &compiled, const CompileOptions &options,
                                                       const ThreadArguments &threads) const;

private:
  /// The table of one variant's errors.
  mlir::FailureOr<std::string> judgeCases(Session &session, const ThreadArguments &threads) const;

  mlir::OwningOpRef<mlir::ModuleOp> imported;
  std::vector<InputCase> cases; // the first is random
  std::vector<Reference> references;
};

} // namespace heddle

#endif // HEDDLE_TOOLS_PASSPORT_H
