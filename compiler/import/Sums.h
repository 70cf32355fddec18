//===- Sums.h - sizes that are sums of others -------------------*- C++ -*-===//
//
// Keys of a past and new ones are concatenated: their number is a size, too. What stands for
// it is the sum of what stands for the others, so these are chosen such that it is a prime,
// or twice a prime, as well (Sizes.h).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_SUMS_H
#define HEDDLE_IMPORT_SUMS_H

#include "heddle/Import.h"

namespace heddle {

/// The extents of all tensors, in the order of operations, and where slices and parts of what is concatenated begin.
llvm::SmallVector<int64_t> extentsOf(mlir::ModuleOp module);

/// "past + new + 1"
std::string nameOf(const DimSum &sum);

/// What `text` says if it is a sum of at least two names among `names` and numbers; none where it is something else.
std::optional<DimSum> parseSum(llvm::StringRef text, llvm::ArrayRef<std::string> names);

/// The sums among the extents of `model`, the import of the sizes `values`: those that grow by one with some of the
/// sizes, each alone, are not just one of these, and are the same sum in `largest`, the import of the largest sizes.
std::vector<DimSum> findSums(const ImportOptions &options, mlir::ModuleOp model, llvm::ArrayRef<int64_t> values,
                             mlir::ModuleOp largest,
                             llvm::function_ref<mlir::FailureOr<Model>(llvm::ArrayRef<int64_t>)> import);

/// Chooses what stands for the sizes of `options.ranges`, none more than `most`, and so for the sums. In a second
/// choice, whose numbers are less than those of the first, nothing is even that is even in the first: that a number is
/// a multiple of 2 must not decide; and if there is such a choice, they divide none of the model's other extents. False
/// where there is no choice.
bool chooseStands(ImportOptions &options, llvm::ArrayRef<int64_t> most, bool isFirst);

} // namespace heddle

#endif // HEDDLE_IMPORT_SUMS_H
