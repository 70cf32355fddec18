//===- Ranges.h - the sizes to verify a model at ----------------*- C++ -*-===//

#ifndef HEDDLE_RANGES_H
#define HEDDLE_RANGES_H

#include "heddle/Import.h"
#include "heddle/WeightStore.h"

#include "Notes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace heddle {

/// A value for each size of a model that lies in a range, in the order of the ranges.
using SizeValues = std::vector<size_t>;

/// The sizes of a model that lie in ranges, in the order of the model.
SizeRanges rangesOf(const Model &model);

/// The sizes as text, such as "m=37 s=2"; "" for a model without ranges.
std::string sizesText(llvm::ArrayRef<SizeRange> ranges, llvm::ArrayRef<size_t> values);

/// The values of sizes by name.
using NamedValues = llvm::StringMap<size_t>;
NamedValues sizesByName(llvm::ArrayRef<SizeRange> ranges, llvm::ArrayRef<size_t> values);

/// For each size, the intervals into which the classes divide its range; if there are no classes, the range itself.
std::vector<std::vector<SizeInterval>> intervalsOf(llvm::ArrayRef<SizeRange> ranges, llvm::ArrayRef<SizeClass> classes);

/// Selects sizes at which a model is verified: all combinations if there are at most `small` of them, otherwise the
/// corners of the ranges, or of each class, and random sizes between them on a logarithmic scale. If there are more
/// than three ranges, only the corner with all minima and the corner with all maxima are used, of the ranges or of each
/// class. A model without ranges has one empty combination.
std::vector<SizeValues> sizesToTry(llvm::ArrayRef<SizeRange> ranges, llvm::ArrayRef<SizeClass> classes, uint64_t seed,
                                   size_t small);

/// The coverage of the ranges by `tried` combinations of sizes as text, such as "at every size: 12 of 12" or "at 10 of
/// 4096 sizes".
std::string coverageText(llvm::ArrayRef<SizeRange> ranges, size_t tried);

/// The values of the sizes of `main`, according to the shapes of the tensors in a file with its inputs. Emits an error
/// at `path` in the cases of sizeIn (InputSizes.h), such as a size that no tensor determines.
mlir::FailureOr<SizeValues> sizesOf(mlir::func::FuncOp main, const WeightStore &file, llvm::StringRef path);

/// A model at one combination of values of the sizes that lie in ranges. A model without ranges has one point.
struct Point {
  SizeValues sizes;
  std::string name; // such as "m=37"; "" without ranges
  Model model;      // the model imported at these sizes

  mlir::func::FuncOp main() const { return model.main(); }
};

/// Imports the model at the sizes `values`, which are in the order of `ranges`.
mlir::FailureOr<Point> pointAt(const Model &model, llvm::ArrayRef<SizeRange> ranges, llvm::ArrayRef<size_t> values);

/// If the model has sizes in ranges, prints an error that `what` does not support them and returns true.
bool refuseRanges(const Model &model, llvm::StringRef what);
/// If the model has states, prints an error that `what` does not support them and returns true.
bool refuseStates(const Model &model, llvm::StringRef what);

} // namespace heddle

#endif // HEDDLE_RANGES_H
