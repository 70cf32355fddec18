//===- ScopedImport.h - one import with given placeholders ------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_SCOPEDIMPORT_H
#define HEDDLE_IMPORT_SIZES_SCOPEDIMPORT_H

#include "ChoosePlaceholders.h"
#include "ImportTask.h"

#include "mlir/IR/Diagnostics.h"

namespace heddle {

/// Imports the model with the sizes in the given options.
using ImportFunction = llvm::function_ref<mlir::FailureOr<Model>(const ImportTask &)>;

/// The result of an import with a set of placeholders.
struct ScopedImport {
  mlir::FailureOr<Model> model = mlir::failure();
  std::vector<DerivedDim> derived;          // the derived sizes of the model
  std::vector<SizeExpression> required;     // expressions that must not be negative at the placeholders
  std::vector<int64_t> fixed;               // extents that do not depend on sizes
  std::set<int64_t> seen;                   // like `fixed`, but of all tensors that the import read
  bool needsOtherPlaceholders = false;      // whether some of the placeholders were not suitable
  llvm::SmallVector<mlir::Diagnostic> said; // diagnostics of the import, which are not printed
};

/// Imports the model with placeholders for the sizes in `options.ranges`. If `isUnchecked`, the placeholder of a
/// derived size need not be the value of its expression at the other placeholders (SizeScope.h). `taken` contains the
/// extents of the model that depend on no size; none of them becomes the placeholder of a derived size.
ScopedImport importWith(mlir::Location loc, const ImportTask &options, const Placeholders &placeholders, bool isUnchecked,
                        llvm::ArrayRef<int64_t> taken, ImportFunction import);

/// Returns a diagnostic handler that stores diagnostics in `said` instead of printing them.
inline auto keepIn(llvm::SmallVectorImpl<mlir::Diagnostic> &said) {
  return [&said](mlir::Diagnostic &diagnostic) {
    said.push_back(std::move(diagnostic));
    return mlir::success();
  };
}

/// Returns the names of the sizes in ranges, such as "batch, past".
std::string namesOf(const ImportTask &options);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_SCOPEDIMPORT_H
