//===- Passport.h - the measured error of compiled code ---------*- C++ -*-===//

#ifndef HEDDLE_PASSPORT_H
#define HEDDLE_PASSPORT_H

#include "heddle/Cases.h"
#include "heddle/Compile.h"

namespace heddle {

/// Reference results for random and adversarial inputs of a model, against which the error of compiled code is
/// measured.
class Passport {
public:
  /// Interprets the model, imported from `path`, at a selection of its sizes. If `inF32` is not null, also interprets
  /// this model, from which `model` was made by lowering the precision. `precision` names the precision in the table.
  /// Prints errors and returns nothing on failure.
  static std::optional<Passport> create(llvm::StringRef path, llvm::StringRef precision, const Model &model,
                                        const Model *inF32);

  /// Runs the code for each CPU, or for the device `onDevice`, with `threads` threads and compares every output.
  /// Returns lines of text: remarks about the device, and for each CPU a table with a line for each output of each
  /// case, or a line that says why the code was not measured. Prints an error and fails if the device cannot be opened,
  /// the threads cannot be started, a call fails, an error exceeds its bound, or this machine can run none of the code.
  mlir::FailureOr<std::vector<std::string>> measure(const CompiledModel &compiled, const CompileOptions &options,
                                                    llvm::StringRef onDevice, size_t threads) const;

private:
  /// The list of sizes at which the model was interpreted, such as "m=1; m=40:", as lines of limited length. Empty if
  /// no size of the model lies in a range.
  std::vector<std::string> sizesTried() const;
  /// The table of one variant's errors. Each case is listed at the sizes where its error is nearest to its bound.
  mlir::FailureOr<std::string> judgeCases(Session &session, size_t threads) const;

  std::vector<PointCases> points;
  std::string precision;
};

} // namespace heddle

#endif // HEDDLE_PASSPORT_H
