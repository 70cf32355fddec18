//===- Ranges.h - at which sizes a model is tried ---------------*- C++ -*-===//

#ifndef HEDDLE_RANGES_H
#define HEDDLE_RANGES_H

#include "heddle/Import.h"
#include "heddle/WeightStore.h"

#include "Notes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace heddle {

/// One number for each size of a model that lies in a range, in their order.
using SizeValues = std::vector<size_t>;

/// The sizes of a model that lie in ranges, in their order.
SizeRanges rangesOf(const Model &model);

/// "m=37 s=2"; "" for a model without ranges.
std::string sizesText(llvm::ArrayRef<SizeRange> ranges, llvm::ArrayRef<size_t> values);

/// The sizes of a model that lie in ranges, and what they are in a call.
using NamedValues = llvm::StringMap<size_t>;
NamedValues sizesByName(llvm::ArrayRef<SizeRange> ranges, llvm::ArrayRef<size_t> values);

/// The parts that its classes have of each range, or the ranges.
std::vector<std::vector<SizeInterval>> intervalsOf(llvm::ArrayRef<SizeRange> ranges, llvm::ArrayRef<SizeClass> classes);

/// Every choice of sizes where there are no more than `small`; else the corners of the ranges, or those of each class,
/// and sizes between them: small ones as likely as large ones. Of one model without ranges: one choice of nothing.
std::vector<SizeValues> sizesToTry(llvm::ArrayRef<SizeRange> ranges, llvm::ArrayRef<SizeClass> classes, uint64_t seed,
                                   size_t small);

/// "at every size: 12 of 12", "at 10 of 4096 sizes".
std::string coverageText(llvm::ArrayRef<SizeRange> ranges, size_t tried);

/// What the sizes are in a file with the inputs of `main`, whose extents say where they are. An error at `path` where
/// no tensor tells, or one tells something out of range.
mlir::FailureOr<SizeValues> sizesOf(mlir::func::FuncOp main, const WeightStore &file, llvm::StringRef path);

/// A model at one choice of the sizes that lie in ranges; of one without ranges there is one.
struct Point {
  SizeValues sizes;
  std::string name; // "m=37"; "" without ranges
  Model model;      // as it was imported, of these sizes

  mlir::func::FuncOp main() const { return model.module.get().lookupSymbol<mlir::func::FuncOp>("main"); }
};

mlir::FailureOr<Point> pointAt(const Model &model, llvm::ArrayRef<SizeRange> ranges, llvm::ArrayRef<size_t> values);

/// Says that sizes in ranges are not for what the tool does; false where the model has none.
bool refuseRanges(const Model &model, llvm::StringRef what);
/// The same for a model that keeps something from call to call.
bool refuseStates(const Model &model, llvm::StringRef what);

} // namespace heddle

#endif // HEDDLE_RANGES_H
