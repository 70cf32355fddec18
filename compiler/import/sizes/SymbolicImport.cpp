//===- SymbolicImport.cpp - imports with symbolic sizes -------------------===//

#include "SymbolicImport.h"

#include "ChooseStands.h"
#include "HiddenSize.h"
#include "ModelExtents.h"
#include "PlaceOf.h"

#include "DerivedSizes.h"
#include "Notes.h"
#include "Sizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace heddle;

using Import = function_ref<FailureOr<Model>(const ImportOptions &)>;

static std::string namesOf(const ImportOptions &options) {
  SmallVector<std::string> names;
  for (const DimRange &range : options.ranges)
    names.push_back(range.name);
  return llvm::join(names, ", ");
}

/// Writes the placeholders of the first `count` sizes, and of sizes derived from them, into the module.
static void note(ModuleOp module, SizeScope &scope, size_t count) {
  SizeRanges ranges;
  for (const ScopedSize &size : scope.all().take_front(count))
    ranges.push_back({size.name, size.bounds.low, size.bounds.high, size.stands});
  SmallVector<DerivedDim> dims(llvm::make_filter_range(scope.derived(), [&](const DerivedDim &dim) {
    SmallVector<unsigned> sizes = dim.expression.sizes();
    return sizes.empty() || sizes.back() < count;
  }));
  SmallVector<std::string> names;
  for (const DerivedDim &dim : dims)
    names.push_back(dim.expression.text(scope.names()));
  DerivedSizes derived;
  for (auto [dim, name] : llvm::zip_equal(dims, names))
    derived.push_back({name, dim.expression, dim.stands, dim.bounds.low, dim.bounds.high});
  notes::sizes.remove(module);
  notes::derived.remove(module);
  if (!ranges.empty())
    notes::sizes.set(module, ranges);
  if (!derived.empty())
    setDerivedSizes(module, derived);
}

/// Adds the numbers of a module that are not placeholders to `fixed`.
static void addFixed(ModuleOp module, const SizeScope &scope, llvm::SetVector<int64_t> &fixed) {
  for (int64_t extent : extentsOf(module))
    if (extent > 1 && scope.of(extent).isFixed())
      fixed.insert(extent);
}

/// Derives the offsets of concatenated parts as sizes, since code accesses them like offsets of slices.
static void derivePlaces(ModuleOp module, SizeScope &scope) {
  module.walk([&](tensor::ConcatOp concat) {
    scope.setPlace(placeOf(concat));
    Dim begin = 0;
    for (Type type : llvm::drop_end(concat->getOperandTypes()))
      (void)numberOf(begin += dimOf(cast<RankedTensorType>(type).getDimSize(unsigned(concat.getDim()))));
  });
}

namespace {
/// The result of an import with a set of placeholders.
struct ScopedImport {
  FailureOr<Model> model = failure();
  std::vector<DerivedDim> derived;
  std::vector<SizeExpression> required;
  std::vector<int64_t> fixed;   // extents that do not depend on sizes
  bool wantsOthers = false;     // whether some placeholders are wrong
  SmallVector<Diagnostic> said; // diagnostics of the import
};
} // namespace

/// Keeps diagnostics instead of printing them.
static auto keepIn(SmallVectorImpl<Diagnostic> &said) {
  return [&said](Diagnostic &diagnostic) {
    said.push_back(std::move(diagnostic));
    return success();
  };
}

/// Appends to errors with placeholders which sizes these represent. Verifiers see placeholders in types.
static void explainNumbers(MutableArrayRef<Diagnostic> said, const SizeScope &scope) {
  for (Diagnostic &error : said) {
    std::string text = error.str(), legend;
    auto explain = [&](int64_t stands, const std::string &name) {
      std::string number = std::to_string(stands);
      if (stands > 1 && llvm::Regex("(^|[^0-9])" + number + "([^0-9]|$)").match(text))
        legend += (legend.empty() ? ": " : ", ") + number + " stands for " + name;
    };
    for (const ScopedSize &size : scope.all())
      if (size.bounds.low != size.bounds.high)
        explain(size.stands, size.name);
    for (const DerivedDim &dim : scope.derived())
      explain(dim.stands, dim.expression.text(scope.names()));
    if (error.getSeverity() == DiagnosticSeverity::Error && !legend.empty())
      error << legend;
  }
}

static ScopedImport importWith(Location loc, const ImportOptions &options, const Stands &stands, bool isLoose,
                               Import import) {
  ImportOptions fixed = options;
  fixed.ranges.clear();
  std::vector<ScopedSize> sizes;
  for (auto [range, number] : llvm::zip_equal(options.ranges, stands.sizes)) {
    // A size with a single value needs no placeholder.
    fixed.dims[range.name] = range.low == range.high ? range.low : number;
    fixed.bounds[range.name] = {range.low, range.high};
    fixed.mayBeEmpty |= range.low == 0;
    sizes.push_back({range.name, {range.low, range.high}, number});
  }
  SizeScope scope(std::move(sizes), stands.functions, isLoose, limitOf(options));
  ScopedImport result;
  llvm::SetVector<int64_t> extents;
  extents.insert(3 << 11); // lowerings may make multiples of tile sizes
  {
    ScopedDiagnosticHandler keep(loc.getContext(), keepIn(result.said));
    result.model = import(fixed);
    if (succeeded(result.model))
      derivePlaces(*result.model->module, scope);
    if (succeeded(result.model) && options.hidden) {
      ModuleOp module = *result.model->module;
      note(module, scope, scope.all().size());
      addFixed(module, scope, extents);
      // Wrong placeholders allow no conclusion about the model.
      if (!scope.wantsOthers() && failed(options.hidden->remove(module, fixed)))
        result.model = failure();
    }
    // Errors about sizes come first, since they may be the cause of other errors.
    if (std::optional<std::string> why = scope.takeRefusal()) {
      result.said.clear();
      result.model = emitError(loc) << *why << ": "
                                    << (options.hidden ? "with --state a past may have any length, 0 included"
                                                       : namesOf(options) + " cannot lie in a range in this model");
    }
  }
  explainNumbers(result.said, scope);
  result.derived.assign(scope.derived().begin(), scope.derived().end());
  result.required.assign(scope.required().begin(), scope.required().end());
  result.wantsOthers = scope.wantsOthers();
  if (failed(result.model))
    return result;
  note(*result.model->module, scope, scope.all().size() - (options.hidden ? 1 : 0));
  addFixed(*result.model->module, scope, extents);
  result.fixed.assign(extents.begin(), extents.end());
  return result;
}

/// Prints only errors. All other diagnostics were printed for the largest sizes.
static void say(MLIRContext &context, SmallVectorImpl<Diagnostic> &diagnostics) {
  for (Diagnostic &diagnostic : diagnostics)
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      context.getDiagEngine().emit(std::move(diagnostic));
}

/// Sorts the ranges by the first inputs that have them, so that a library does not depend on the order of the options.
/// A hidden size stays last, although inputs have it during the import.
static void sortByInputs(std::vector<DimRange> &ranges, ModuleOp model, bool hasHidden) {
  auto main = model.lookupSymbol<func::FuncOp>("main");
  Strings names;
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    llvm::append_range(names, notes::dims.get(main, i).value_or(Strings()));
  SmallVector<std::pair<size_t, size_t>> order; // the position in the inputs, and the current position
  for (auto [i, range] : llvm::enumerate(ranges))
    order.push_back({size_t(llvm::find(names, range.name) - names.begin()), i});
  llvm::sort(order.begin(), order.end() - (hasHidden ? 1 : 0));
  std::vector<DimRange> sorted;
  for (auto [place, i] : order)
    sorted.push_back(ranges[i]);
  ranges = std::move(sorted);
}

static std::vector<ScopedSize> scopedSizes(const ImportOptions &options) {
  std::vector<ScopedSize> sizes;
  for (const DimRange &range : options.ranges)
    sizes.push_back({range.name, {range.low, range.high}, 0});
  if (options.hidden)
    sizes.back().isHidden = true;
  return sizes;
}

/// Emits the error that derived sizes have no placeholders. It names the one with the smallest maximum and two values.
static LogicalResult refuseNumbers(Location loc, const ImportOptions &options, ArrayRef<DerivedDim> derived) {
  SizeScope scope(scopedSizes(options), {}, /*isLoose=*/false, limitOf(options));
  InFlightDiagnostic error = emitError(loc);
  const DerivedDim *worst = llvm::min_element(
      derived, [](const DerivedDim &a, const DerivedDim &b) { return a.bounds.high < b.bounds.high; });
  if (worst == derived.end())
    return error << namesOf(options) << ": cannot lie in a range in this model: no numbers stand for its sizes";
  return error << worst->place << ": no number stands for an extent or a place of '"
               << worst->expression.text(scope.names()) << "'" << scope.example(worst->expression) << ": "
               << namesOf(options) << " cannot lie in a range in this model";
}

/// Imports the model with placeholders that fit the derived sizes of a first import.
static FailureOr<Model> importFirst(ImportOptions &options, Location loc, ModuleOp largest, Import import) {
  MLIRContext &context = *loc.getContext();
  std::vector<ScopedSize> sizes = scopedSizes(options);
  std::vector<DerivedDim> derived;
  std::vector<SizeExpression> required;
  llvm::SetVector<int64_t> extents; // contains all extents, until those that depend on no size are known
  extents.insert_range(extentsOf(largest));
  extents.remove_if([](int64_t extent) { return extent < 2; });
  bool isFixedKnown = false;
  std::vector<int64_t> fixed(extents.begin(), extents.end());
  // The derived sizes do not depend on the placeholders, unless some numbers are equal by chance: then types are
  // misread, and derived sizes and errors that follow from them mean nothing.
  constexpr int mostRounds = 6;
  for (int round = 0; round < mostRounds; ++round) {
    std::vector<Stands> stands = chooseStands(sizes, derived, required, fixed, /*isLoose=*/false, 1);
    // Comparing code for other placeholders finds extents that are mistaken for sizes, except for a hidden size.
    if (stands.empty() && !isFixedKnown && !options.hidden)
      stands = chooseStands(sizes, derived, required, {}, /*isLoose=*/false, 1);
    bool isLoose = stands.empty();
    if (isLoose) {
      required.clear();
      stands = chooseStands(sizes, derived, required, fixed, isLoose, 1);
    }
    if (stands.empty())
      break;
    ScopedImport found = importWith(loc, options, stands.front(), isLoose, import);
    bool isRefused = llvm::any_of(found.said, [](const Diagnostic &diagnostic) {
      return diagnostic.getSeverity() == DiagnosticSeverity::Error;
    });
    if (isRefused || (failed(found.model) && !found.wantsOthers)) {
      say(context, found.said);
      return failure();
    }
    if (!isLoose)
      required = found.required;
    bool isNew = false;
    for (const DerivedDim &dim : found.derived) {
      auto known = llvm::find_if(derived, [&](const DerivedDim &one) { return one.expression == dim.expression; });
      if (known == derived.end())
        derived.push_back(dim);
      else if (dim.adds && !known->adds)
        known->adds = true;
      else
        continue;
      isNew = true;
    }
    isFixedKnown |= succeeded(found.model);
    if (succeeded(found.model))
      isNew |= fixed != found.fixed && (fixed = found.fixed, true);
    if (!isNew && !found.wantsOthers) { // remarks were printed for the largest sizes
      for (Stands &choice : chooseStands(sizes, derived, required, fixed, isLoose, SizeOptions::choices))
        options.stands.push_back(std::make_shared<const Stands>(std::move(choice)));
      return std::move(found.model);
    }
  }
  return refuseNumbers(loc, options, derived);
}

static bool isSame(ArrayRef<Diagnostic> some, ArrayRef<Diagnostic> others) {
  return some.size() == others.size() && llvm::all_of(llvm::zip_equal(some, others), [](auto pair) {
    return std::get<0>(pair).str() == std::get<1>(pair).str();
  });
}

/// Appends to errors that differ between sizes that they occur at the largest sizes.
static void addSizes(MutableArrayRef<Diagnostic> errors, const ImportOptions &options, bool isRightAtLeast) {
  auto describe = [&](function_ref<int64_t(const DimRange &)> sizeOf) {
    std::string text;
    for (const DimRange &range : options.ranges)
      text += " " + range.name + "=" + std::to_string(sizeOf(range));
    return text;
  };
  std::string largest = describe([&](const DimRange &range) { return largestOf(options, range); });
  std::string least = describe([](const DimRange &range) { return range.low; });
  for (Diagnostic &error : errors)
    if (error.getSeverity() == DiagnosticSeverity::Error)
      error << ": so it is at" << largest << (isRightAtLeast ? ", not at" + least : std::string());
}

/// Narrows the ranges to the requested parts; these may have other placeholders.
static void narrowRanges(ImportOptions &options) {
  if (options.sizes.within.empty())
    return;
  for (DimRange &range : options.ranges) {
    if (auto part = options.sizes.within.find(range.name); part != options.sizes.within.end())
      std::tie(range.low, range.high) = part->second;
    range.classes.clear();
  }
  options.sizes.within.clear();
  options.stands.clear();
}

FailureOr<Model> heddle::importSymbolic(MLIRContext &context, StringRef model, ImportOptions &options, Import import) {
  Location loc = FileLineColLoc::get(&context, model, 0, 0);
  narrowRanges(options);
  auto fix = [&](function_ref<int64_t(const DimRange &)> sizeOf) {
    ImportOptions fixed = options;
    fixed.ranges.clear();
    for (const DimRange &range : options.ranges) {
      fixed.dims[range.name] = sizeOf(range);
      fixed.bounds[range.name] = {range.low, range.high};
      fixed.mayBeEmpty |= fixed.dims[range.name] == 0;
    }
    return fixed;
  };
  if (!options.sizes.at.empty())
    return import(fix([&](const DimRange &range) { return options.sizes.at.lookup(range.name); }));
  if (options.sizes.primes != 0) {
    if (size_t(options.sizes.primes) >= options.stands.size())
      return emitError(loc) << namesOf(options) << ": no other numbers stand for them";
    const Stands &choice = *options.stands[size_t(options.sizes.primes)];
    ScopedImport other = importWith(loc, options, {choice.sizes, choice.functions, {}}, /*isLoose=*/true, import);
    say(context, other.said);
    return std::move(other.model);
  }
  if (options.ranges.size() > mostSizes)
    return emitError(loc) << "expected at most " << mostSizes << " sizes in ranges, found " << options.ranges.size();
  // The first import uses plain numbers, so that errors in the model or in the options are reported as usual.
  auto importSaying = [&](const ImportOptions &fixed, SmallVectorImpl<Diagnostic> &said) {
    ScopedDiagnosticHandler keep(&context, keepIn(said));
    return import(fixed);
  };
  SmallVector<Diagnostic> said;
  auto largestSize = [&](const DimRange &range) { return largestOf(options, range); };
  FailureOr<Model> largest = importSaying(fix(largestSize), said);
  if (failed(largest)) {
    ImportOptions least = fix([](const DimRange &range) { return range.low; });
    least.openDims = nullptr;
    least.wrongUsage = nullptr;
    SmallVector<Diagnostic> saidOfLeast;
    FailureOr<Model> other = importSaying(least, saidOfLeast);
    bool isUsage = options.wrongUsage && *options.wrongUsage; // these errors name the wrong option
    if (!isUsage && !isSame(said, saidOfLeast))
      addSizes(said, options, succeeded(other));
  }
  for (Diagnostic &diagnostic : said)
    context.getDiagEngine().emit(std::move(diagnostic));
  if (failed(largest))
    return failure();
  sortByInputs(options.ranges, *largest->module, options.hidden != nullptr);
  options.openDims = nullptr;
  options.wrongUsage = nullptr; // a wrong size in a range is bad input, not wrong usage
  return importFirst(options, loc, *largest->module, import);
}
