//===- AnySizes.cpp - imports models whose dimensions lie in ranges -------===//

#include "AnySizes.h"

#include "ConstantRules.h"
#include "Corners.h"
#include "Sums.h"
#include "WindowTables.h"

#include "Notes.h"
#include "Sizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

namespace {
using Import = function_ref<FailureOr<Model>(const ImportOptions &)>;

/// The options with numbers for the dimensions, and without what tells of ranges.
ImportOptions fix(const ImportOptions &options, ArrayRef<int64_t> values) {
  ImportOptions fixed = options;
  fixed.ranges.clear();
  for (auto [range, value] : llvm::zip_equal(options.ranges, values)) {
    fixed.dims[range.name] = value;
    fixed.bounds[range.name] = {range.low, range.high};
  }
  fixed.mayBeEmpty = llvm::is_contained(values, 0);
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

/// Notes on a model which sizes lie in ranges, and their sums.
static LogicalResult noteSizes(ModuleOp model, const ImportOptions &options) {
  SizeRanges sizes;
  llvm::StringMap<SizeExpression> expressions;
  for (const DimRange &range : options.ranges) {
    expressions[range.name] = SizeExpression::size(unsigned(sizes.size()));
    sizes.push_back({range.name, range.low, range.high, range.stands});
  }
  notes::sizes.set(model, sizes);
  SmallVector<SizeExpression> sums;
  for (const DimSum &sum : options.sums) {
    sums.push_back(sum.plus);
    for (const std::string &term : sum.terms)
      sums.back() = sums.back() + expressions[term];
  }
  return sums.empty() ? success() : deriveSizes(model, sums);
}

static SmallVector<int64_t> standsOf(const ImportOptions &options) {
  return llvm::map_to_vector(options.ranges, [](const DimRange &range) { return range.stands; });
}

/// With the primes of the ranges.
static FailureOr<Model> importStands(const ImportOptions &options, Import import) {
  FailureOr<Model> model = import(fix(options, standsOf(options)));
  if (failed(model) || failed(noteSizes(*model->module, options)))
    return failure();
  return model;
}

/// "past, new, past + new"
static std::string namesOf(const ImportOptions &options) {
  SmallVector<std::string> names;
  for (const DimRange &range : options.ranges)
    names.push_back(range.name);
  for (const DimSum &sum : options.sums)
    names.push_back(nameOf(sum));
  return llvm::join(names, ", ");
}

/// With others, and the rules of constants that were found, for a model that was held against its corners before.
static FailureOr<Model> importOtherStands(const ImportOptions &options, Location loc, Import import) {
  ImportOptions others = options;
  SmallVector<int64_t> taken;
  for (DimRange &range : others.ranges) {
    std::optional<int64_t> stands = options.sizes.standIn(taken, range.stands - 1);
    if (!stands)
      return emitError(loc) << range.name << ": no second prime stands for it";
    taken.push_back(range.stands = *stands);
  }
  if (!options.sums.empty() && !chooseStands(others, taken, /*isFirst=*/false))
    return emitError(loc) << namesOf(others) << ": no second numbers stand for them";
  FailureOr<Model> model = importStands(others, import);
  if (succeeded(model) && failed(takeRules(*model->module, options.constants, standsOf(others))))
    return failure();
  return model;
}

/// Of one choice of sizes, `options.sizes.at`, with constants as they are written for any.
static FailureOr<Model> importWithRules(const ImportOptions &options, Import import) {
  SmallVector<int64_t> values = llvm::map_to_vector(
      options.ranges, [&](const DimRange &range) { return options.sizes.at.lookup(range.name); });
  FailureOr<Model> model = import(fix(options, values));
  if (failed(model) || failed(noteSizes(*model->module, options)) ||
      failed(takeRules(*model->module, options.constants, values)))
    return failure();
  notes::sizes.remove(*model->module);
  notes::derived.remove(*model->module);
  return model;
}

/// Constants that are one number up to a diagonal, of which others are found: what `model` alone tells.
static ConstantRules findDiagonals(ModuleOp model) {
  Sizes sizes(model);
  ConstantRules rules;
  forEachConstant(model, [&](unsigned number, arith::ConstantOp op) {
    auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
    if (std::optional<ConstantRule> rule = elements ? findDiagonal(sizes, elements) : std::nullopt)
      rules[number] = *rule;
  });
  return rules;
}

/// Whether `model` is that of the largest sizes, whose constants are tables for those that have no rule that holds.
static LogicalResult isSameAtLargest(ModuleOp model, ArrayRef<int64_t> values, ModuleOp largest, ConstantRules &rules) {
  Sizes sizes(model);
  auto takeBeginning = [&](unsigned number, DenseElementsAttr elements, DenseElementsAttr all) {
    std::optional<ConstantRule> rule = findBeginning(elements, all);
    if (!rule)
      rule = findLongerTable(sizes, elements, all);
    if (rule)
      rules[number] = *rule;
    return rule.has_value();
  };
  return isSameAt(model, values, largest, rules, takeBeginning);
}

/// Finds the prime for `range`: tables of the model may be shorter than most primes, and computing with large ones may
/// take other ways. `largest` is the import of the largest sizes. Why there is none goes to `reason`.
static bool findStand(DimRange &range, const ImportOptions &options, ModuleOp largest, std::string &reason,
                      Import import) {
  ImportOptions alone = options;
  // At a corner an import that depends on the prime would look right.
  SmallVector<int64_t> taken{range.low, 2, range.high};
  alone.ranges.clear();
  for (const DimRange &other : options.ranges)
    if (other.name != range.name) {
      alone.dims[other.name] = other.high;
      taken.push_back(other.stands);
    }
  bool imported = false;
  std::optional<int64_t> stands = options.sizes.standIn(taken);
  auto next = [](int64_t stands) { return stands < 16 ? stands - 1 : int64_t(llvm::bit_floor(uint64_t(stands))); };
  for (; stands; stands = options.sizes.standIn(taken, next(*stands))) {
    range.stands = *stands;
    alone.ranges.assign(1, range);
    std::string why;
    ScopedDiagnosticHandler handler(largest.getContext(), [&](Diagnostic &diagnostic) {
      if (why.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
        why = diagnostic.str();
      return success();
    });
    FailureOr<Model> any = importStands(alone, import);
    ConstantRules rules = succeeded(any) ? findDiagonals(*any->module) : ConstantRules();
    if (succeeded(any) && succeeded(isSameAtLargest(*any->module, range.high, largest, rules)))
      return true;
    // That a table is too short is not what there is to say where another prime is not.
    if (!imported)
      reason = why;
    imported = imported || succeeded(any);
  }
  return false;
}

/// "m=1 n=9"
static std::string describe(const ImportOptions &options, ArrayRef<int64_t> values) {
  std::string text;
  for (auto [range, value] : llvm::zip_equal(options.ranges, values))
    text += (text.empty() ? "" : " ") + range.name + "=" + std::to_string(value);
  return text;
}

/// Holds `model` against imports where some sizes are the least and others the largest: there shows what two of them
/// decide between them, such as which is larger.
static LogicalResult checkMixedCorners(const ImportOptions &options, ModuleOp model, std::string &reason,
                                       Import import) {
  for (size_t corner = 1; corner + 1 < size_t(1) << options.ranges.size(); ++corner) {
    SmallVector<int64_t> values = cornerOf(options.ranges, corner);
    FailureOr<Model> fixed = import(fix(options, values));
    if (failed(fixed) || failed(isSameAt(model, values, *fixed->module, options.constants))) {
      reason = "at " + describe(options, values) + ": " + reason;
      return failure();
    }
  }
  return success();
}

void heddle::sortByInputs(std::vector<DimRange> &ranges, ModuleOp model) {
  auto main = model.lookupSymbol<func::FuncOp>("main");
  Strings names;
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    llvm::append_range(names, notes::dims.get(main, i).value_or(Strings()));
  llvm::stable_sort(ranges, [&](const DimRange &a, const DimRange &b) {
    return llvm::find(names, a.name) < llvm::find(names, b.name);
  });
}

LogicalResult heddle::checkEmpty(ModuleOp model) {
  Sizes sizes(model);
  StringRef empty; // the size
  auto mayBeEmpty = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    for (int64_t extent : tensor ? tensor.getShape() : ArrayRef<int64_t>())
      for (StringRef name : sizes.of(extent).sizes)
        if (sizes.boundsOf(*sizes.find(name)).low == 0)
          return empty = name, true;
    return false;
  };
  WalkResult walked = model.walk([&](Operation *op) -> WalkResult {
    auto loops = dyn_cast<linalg::LinalgOp>(op);
    if ((loops && loops.getNumReductionLoops() == 0) || op->hasTrait<OpTrait::Elementwise>() ||
        isa<tensor::ConcatOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ExtractSliceOp, tensor::EmptyOp>(
            op))
      return WalkResult::advance();
    if (llvm::none_of(op->getOperandTypes(), mayBeEmpty) && llvm::none_of(op->getResultTypes(), mayBeEmpty))
      return WalkResult::advance();
    return op->emitError() << "'" << op->getName() << "' takes or makes what is empty where " << empty << " is 0";
  });
  return failure(walked.wasInterrupted());
}

/// The extents that have no size, and a multiple of the tiles' that lowerings make.
static std::vector<int64_t> findFixed(ModuleOp model) {
  Sizes sizes(model);
  llvm::SetVector<int64_t> found;
  found.insert(3 << 11);
  for (int64_t extent : extentsOf(model))
    if (extent > 1 && sizes.of(extent).isFixed())
      found.insert(extent);
  return std::vector<int64_t>(found.begin(), found.end());
}

namespace {
/// Imports of ordinary sizes, which those with primes are held against.
struct Corners {
  SmallVector<int64_t> low, second, high;
  FailureOr<Model> least = failure(), next = failure(), largest = failure();
  WindowTables windows;
};
} // namespace

/// With the primes of the ranges, where it is the same model at all corners; else why it is not goes to `reason`, and
/// whether it could be imported at all to `isImported`.
static FailureOr<Model> importSame(ImportOptions &options, MLIRContext &context, Corners &corners,
                                   std::string &reason, bool &isImported, Import import) {
  reason.clear();
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (reason.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
      reason = diagnostic.str();
    return success();
  });
  FailureOr<Model> any = importStands(options, import);
  isImported = succeeded(any);
  if (failed(any) || failed(checkEmpty(*any->module)))
    return failure();
  options.constants = findDiagonals(*any->module);
  if (failed(isSameAtLargest(*any->module, corners.high, *corners.largest->module, options.constants))) {
    options.constants = findDiagonals(*any->module);
    corners.windows.find(options, *any->module, options.constants,
                         [&](ArrayRef<int64_t> values) { return import(fix(options, values)); });
    reason.clear();
    if (failed(isSameAtLargest(*any->module, corners.high, *corners.largest->module, options.constants)))
      return failure();
  }
  if (succeeded(isSameAt(*any->module, corners.low, *corners.least->module, options.constants)) &&
      succeeded(isSameAt(*any->module, corners.second, *corners.next->module, options.constants)) &&
      succeeded(checkMixedCorners(options, *any->module, reason, import)) &&
      succeeded(takeRules(*any->module, options.constants, standsOf(options)))) {
    options.extents = findFixed(*any->module);
    return any;
  }
  return failure();
}

/// The same with numbers that are chosen for all sizes at once, so that sums of them are some, too; smaller ones where
/// those do not do, as findStand does for one.
static FailureOr<Model> importJointly(ImportOptions &options, MLIRContext &context, Corners &corners,
                                      std::string &reason, Import import) {
  constexpr int64_t largest = 4001, least = 12;
  bool wasImported = false;
  reason = "no numbers stand for them";
  for (int64_t most = largest; most >= least; most = most > 256 ? most / 2 : most * 3 / 4) {
    if (!chooseStands(options, SmallVector<int64_t>(options.ranges.size(), most), /*isFirst=*/true))
      continue;
    std::string why;
    bool isImported = false;
    FailureOr<Model> any = importSame(options, context, corners, why, isImported, import);
    if (succeeded(any))
      return any;
    if (!wasImported)
      reason = why;
    wasImported = wasImported || isImported;
  }
  return failure();
}

FailureOr<Model> heddle::importAnySizes(MLIRContext &context, StringRef model, ImportOptions &options, Import import) {
  Location loc = FileLineColLoc::get(&context, model, 0, 0);
  if (options.sizes.hasRules)
    return importWithRules(options, import);
  if (!options.sizes.at.empty())
    return import(fix(options, llvm::map_to_vector(options.ranges, [&](const DimRange &range) {
                        return options.sizes.at.lookup(range.name);
                      })));
  if (options.sizes.primes != 0)
    return importOtherStands(options, loc, import);
  if (options.ranges.size() > mostSizes)
    return emitError(loc) << "expected at most " << mostSizes << " sizes in ranges, found " << options.ranges.size();
  // First of ordinary sizes: what is wrong with the model itself, or with what was asked for, is said as ever.
  Corners corners;
  corners.largest = import(fix(options, cornerOf(options.ranges, ~size_t(0))));
  if (failed(corners.largest))
    return failure();
  sortByInputs(options.ranges, *corners.largest->module);
  corners.low = cornerOf(options.ranges, 0);
  corners.high = cornerOf(options.ranges, ~size_t(0));
  for (const DimRange &range : options.ranges) // what has one element is broadcast, and what has two not
    corners.second.push_back(std::min(std::max<int64_t>(range.low, 2), range.high));
  auto importQuietly = [&](ArrayRef<int64_t> values) {
    OnlyErrors quiet(context);
    return import(fix(options, values));
  };
  if (failed(corners.least = importQuietly(corners.low))) {
    for (const DimRange &range : options.ranges)
      if (range.low == 0)
        emitError(loc) << range.name << ": the least size of its range is 0, with which the model cannot be imported";
    return failure();
  }
  if (failed(corners.next = importQuietly(corners.second)))
    return failure();
  options.openDims = nullptr;
  options.wrongUsage = nullptr; // what is wrong with a prime is not how it was asked
  std::string reason;
  FailureOr<Model> any = failure();
  options.sums = findSums(options, *corners.next->module, corners.second, *corners.largest->module, importQuietly);
  if (!options.sums.empty()) {
    any = importJointly(options, context, corners, reason, import);
  } else {
    for (DimRange &range : options.ranges)
      if (!findStand(range, options, *corners.largest->module, reason, import))
        return emitError(loc) << range.name << ": cannot lie in a range in this model: " << reason;
    bool isImported = false;
    any = importSame(options, context, corners, reason, isImported, import);
    if (!isImported) // what is a product of them may be too large
      any = importJointly(options, context, corners, reason, import);
  }
  if (failed(any))
    return emitError(loc) << namesOf(options) << ": cannot lie in a range in this model: " << reason;
  return any;
}
