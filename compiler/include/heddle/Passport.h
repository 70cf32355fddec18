//===- Passport.h - the measured error of compiled code ---------*- C++ -*-===//

#ifndef HEDDLE_PASSPORT_H
#define HEDDLE_PASSPORT_H

#include "heddle/Cases.h"
#include "heddle/Compile.h"

namespace heddle {

/// What the interpreter says of a model on random and adversarial inputs, and how far code is from it.
class Passport {
public:
  /// Interprets the model as it was imported from `path`, at some of its sizes, and the one in f32 that it was made of,
  /// if it is given; `precision` is what its layers are in, for people. Errors are printed.
  static std::optional<Passport> create(llvm::StringRef path, llvm::StringRef precision, const Model &model,
                                        const Model *inF32);

  /// Runs the code of each variant, on the device of this name, and compares every output: a line for each case, or one
  /// that says that this machine cannot run it. An output beyond its bound is a failure, as is code of which this
  /// machine runs none.
  mlir::FailureOr<std::vector<std::string>> measure(const CompiledModel &compiled, const CompileOptions &options,
                                                    llvm::StringRef onDevice, size_t threads) const;

private:
  /// "  m=1; m=40:", in lines of bearable length; none without ranges.
  std::vector<std::string> sizesTried() const;
  /// The table of one variant's errors: for each case at the sizes where they come nearest to the bound.
  mlir::FailureOr<std::string> judgeCases(Session &session, size_t threads) const;

  std::vector<PointCases> points;
  std::string precision;
};

} // namespace heddle

#endif // HEDDLE_PASSPORT_H
