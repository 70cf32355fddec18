//===- AnySizes.h - imports models whose dimensions lie in ranges -*- C++ -*-==//

#ifndef HEDDLE_IMPORT_ANYSIZES_H
#define HEDDLE_IMPORT_ANYSIZES_H

#include "heddle/Import.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

namespace heddle {

/// Imports a model with symbolic dimensions in `options.ranges` by `import`, which takes each as a number in
/// options.dims: primes stand for them (Sizes.h), each the largest that the model's tables and limits have room for,
/// which the ranges receive. Importers compute with sizes and decide by them, so that what comes out is held against
/// imports of the least and the largest sizes, and of some the least beside others the largest; what these differ in is
/// an error. With options.sizes.at, of these sizes alone; with other primes than the first, without holding it against
/// others once more.
mlir::FailureOr<Model> importAnySizes(mlir::MLIRContext &context, llvm::StringRef model, ImportOptions &options,
                                      llvm::function_ref<mlir::FailureOr<Model>(const ImportOptions &)> import);

/// Whether inputs and outputs have at most as many bytes as an address space holds when the sizes that lie in ranges
/// are the largest: then no product of sizes and strides overflows.
mlir::LogicalResult checkLargest(mlir::ModuleOp model);

/// The most sizes that lie in ranges: all their corners are looked at.
constexpr size_t mostSizes = 6;

/// The largest of each of `ranges` whose bit `corner` has, the least of the others.
template <typename Ranges>
llvm::SmallVector<int64_t> cornerOf(const Ranges &ranges, size_t corner) {
  llvm::SmallVector<int64_t> values;
  for (auto [i, range] : llvm::enumerate(ranges))
    values.push_back(corner >> i & 1 ? range.high : range.low);
  return values;
}

bool isPrime(int64_t number);

/// Whether what may be empty is only moved and computed element by element: loops may have nothing to do, but no sum is
/// made of nothing, and no layer has tiles for it.
mlir::LogicalResult checkEmpty(mlir::ModuleOp model);

/// The order of the inputs that have them: in which order somebody gave them must not show in a library.
void sortByInputs(std::vector<DimRange> &ranges, mlir::ModuleOp model);

/// Where a model is imported once more, errors alone are told: the rest was said the first time.
class OnlyErrors : public mlir::ScopedDiagnosticHandler {
public:
  explicit OnlyErrors(mlir::MLIRContext &context)
      : ScopedDiagnosticHandler(&context, [](mlir::Diagnostic &diagnostic) {
          return llvm::success(diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error);
        }) {}
};

} // namespace heddle

#endif // HEDDLE_IMPORT_ANYSIZES_H
