//===- AnySizes.cpp - imports models whose dimensions lie in ranges -------===//

#include "AnySizes.h"

#include "Corners.h"

#include "Notes.h"
#include "Sizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

namespace {
using Import = function_ref<FailureOr<Model>(const ImportOptions &)>;

/// The options with numbers for the dimensions, and without what tells of ranges.
ImportOptions fix(const ImportOptions &options, ArrayRef<int64_t> values) {
  ImportOptions fixed = options;
  fixed.ranges.clear();
  for (auto [range, value] : llvm::zip_equal(options.ranges, values))
    fixed.dims[range.name] = value;
  return fixed;
}
} // namespace

LogicalResult heddle::checkLargest(ModuleOp model) {
  constexpr int64_t limit = int64_t(1) << 45;
  Sizes sizes(model);
  auto main = model.lookupSymbol<func::FuncOp>("main");
  for (TypeRange types : {main.getArgumentTypes(), main.getResultTypes()})
    for (Type type : types) {
      auto tensor = cast<RankedTensorType>(type);
      int64_t bytes = llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
      for (int64_t extent : tensor.getShape())
        if (llvm::MulOverflow(bytes, sizes.of(extent).high, bytes) || bytes > limit)
          return model.emitError() << "a tensor has more than " << limit
                                   << " bytes for the largest sizes of the ranges";
    }
  return success();
}

FailureOr<Model> heddle::importAnySizes(MLIRContext &context, StringRef model, const ImportOptions &options,
                                        Import import) {
  Location loc = FileLineColLoc::get(&context, model, 0, 0);
  SmallVector<int64_t> stands, low, second, high, at;
  SizeRanges sizes;
  for (auto [i, range] : llvm::enumerate(options.ranges)) {
    std::optional<int64_t> stand = options.sizes.standIn(i);
    if (!stand)
      return emitError(loc) << "too many sizes lie in ranges";
    auto found = options.sizes.at.find(range.name);
    at.push_back(found == options.sizes.at.end() ? 0 : found->second);
    stands.push_back(*stand);
    low.push_back(range.low);
    // What has one element is broadcast, which an importer may write in another way and means the same.
    second.push_back(std::min(std::max<int64_t>(range.low, 2), range.high));
    high.push_back(range.high);
    sizes.push_back({range.name, range.low, range.high, *stand});
  }
  if (!options.sizes.at.empty())
    return import(fix(options, at));
  // With other primes for the sizes of a model that was held against its corners before.
  if (options.sizes.primes != 0) {
    FailureOr<Model> again = import(fix(options, stands));
    if (succeeded(again))
      notes::sizes.set(*again->module, sizes);
    return again;
  }
  // First of ordinary sizes: what is wrong with the model itself, or with what was asked for, is said as ever.
  FailureOr<Model> largest = import(fix(options, high)), least = failure(), next = failure(), any = failure();
  if (failed(largest) || failed(least = import(fix(options, low))) || failed(next = import(fix(options, second))))
    return failure();
  std::string reason;
  {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      reason = reason.empty() ? diagnostic.str() : reason;
      return success();
    });
    ImportOptions primes = fix(options, stands);
    primes.openDims = nullptr;
    primes.wrongUsage = nullptr; // what is wrong with a prime is not how it was asked
    any = import(primes);
    if (succeeded(any)) {
      notes::sizes.set(*any->module, sizes);
      if (succeeded(hasSameInterfaceAt(*any->module, low, *least->module)) &&
          succeeded(isSameAt(*any->module, second, *next->module)) &&
          succeeded(isSameAt(*any->module, high, *largest->module)))
        return any;
    }
  }
  std::string names;
  for (const DimRange &range : options.ranges)
    names += (names.empty() ? "" : ", ") + range.name;
  return emitError(loc) << names << ": cannot lie in a range in this model: " << reason;
}
