//===- WindowTables.h - constants that are a window of a table --*- C++ -*-===//
//
// With keys of a past, positions begin where the past ends: cosines and sines of them, or
// which keys a query sees, are rows of a table from there on. Its rows are what an import
// computes that has as many new positions as there are in all.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_WINDOWTABLES_H
#define HEDDLE_IMPORT_WINDOWTABLES_H

#include "heddle/Import.h"

namespace heddle {

class WindowTables {
public:
  using ImportAt = llvm::function_ref<mlir::FailureOr<Model>(llvm::ArrayRef<int64_t>)>;

  /// Adds to `rules` those of the constants of `model`, in ranges with sums of two sizes, that are windows: as long as
  /// one size, from a place on that is the other. What constants are not is left to others.
  void find(const ImportOptions &options, mlir::ModuleOp model, ConstantRules &rules, ImportAt import);

private:
  struct Sum;
  struct Part;
  static mlir::DenseElementsAttr join(llvm::ArrayRef<Part> parts, unsigned dim, int64_t rows);
  mlir::ModuleOp importOnce(llvm::ArrayRef<int64_t> values, ImportAt import);
  bool collect(const Sum &sum, int64_t rows, mlir::ModuleOp model, const ConstantRules &rules,
               std::map<unsigned, std::vector<Part>> &parts, ImportAt import);
  void find(const Sum &sum, mlir::ModuleOp model, ConstantRules &rules, ImportAt import);

  std::map<std::vector<int64_t>, mlir::FailureOr<Model>> imported; // for one choice of primes after the other
};

} // namespace heddle

#endif // HEDDLE_IMPORT_WINDOWTABLES_H
