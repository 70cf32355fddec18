//===- SymbolicImport.cpp - imports with symbolic sizes -------------------===//

#include "SymbolicImport.h"

#include "HiddenSize.h"
#include "ModelExtents.h"
#include "ScopedImport.h"

#include "Notes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace heddle;

/// Prints the errors among the diagnostics, but not the warnings and remarks: the import at the largest sizes has
/// already printed them.
static void say(MLIRContext &context, SmallVectorImpl<Diagnostic> &diagnostics) {
  for (Diagnostic &diagnostic : diagnostics)
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      context.getDiagEngine().emit(std::move(diagnostic));
}

/// Sorts the ranges by the first inputs in which their sizes occur, so a library does not depend on the order of the
/// options. A size that exists only during the import (HiddenSize.h) remains the last one, although inputs contain it.
static void sortByInputs(std::vector<DimRange> &ranges, ModuleOp model, bool hasHidden) {
  auto main = model.lookupSymbol<func::FuncOp>("main");
  Strings names;
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    llvm::append_range(names, notes::dims.get(main, i).value_or(Strings()));
  SmallVector<std::pair<size_t, size_t>> order; // the position in the inputs, and the position in `ranges`
  for (auto [i, range] : llvm::enumerate(ranges))
    order.push_back({size_t(llvm::find(names, range.name) - names.begin()), i});
  llvm::sort(order.begin(), order.end() - (hasHidden ? 1 : 0));
  std::vector<DimRange> sorted;
  for (auto [place, i] : order)
    sorted.push_back(ranges[i]);
  ranges = std::move(sorted);
}

/// Returns the sizes in ranges, without placeholders.
static std::vector<ScopedSize> scopedSizes(const ImportTask &options) {
  std::vector<ScopedSize> sizes;
  for (const DimRange &range : options.ranges)
    sizes.push_back({range.name, {range.low, range.high}, 0});
  if (options.hidden)
    sizes.back().isHidden = true;
  return sizes;
}

/// Emits the error that no placeholders exist for derived sizes. The error contains the derived size with the smallest
/// maximum, and two of its values.
static LogicalResult refuseNumbers(Location loc, const ImportTask &options, ArrayRef<DerivedDim> derived) {
  SizeScope scope(scopedSizes(options), {}, /*isUnchecked=*/false, limitOf(options));
  InFlightDiagnostic error = emitError(loc);
  const DerivedDim *worst = llvm::min_element(
      derived, [](const DerivedDim &a, const DerivedDim &b) { return a.bounds.high < b.bounds.high; });
  if (worst == derived.end())
    return error << namesOf(options)
                 << " cannot lie in a range in this model: there are no placeholders for its sizes";
  return error << worst->place << ": there is no placeholder for the extent or offset '"
               << worst->expression.text(scope.names()) << "'" << scope.example(worst->expression) << ": "
               << namesOf(options) << " cannot lie in a range in this model";
}

namespace {
/// Which placeholders an import may have. In an unchecked import, the placeholder of a derived size need not be the
/// value of its expression at the other placeholders.
enum class Suitable {
  EqualToExtents, // like Distinct, but placeholders that equal extents are preferred to an unchecked import
  Distinct,       // no placeholder equals an extent; if there are no such placeholders, the import is unchecked
  Unchecked       // no placeholder equals an extent, and the import is always unchecked
};

/// An import with placeholders that are suitable for the derived sizes that it finds, or the reason why there is no
/// such import.
struct SuitedImport {
  FailureOr<Model> model = failure();
  SmallVector<Diagnostic> said; // the diagnostics of the import, which are not printed
  // The placeholders with which the importer refused the model; empty if it did not refuse the model.
  std::vector<int64_t> refused;
  std::vector<Placeholders> choices; // the sets of placeholders for the sizes and derived sizes
};
} // namespace

/// Imports the model in rounds, each with placeholders that are suitable for the derived sizes that earlier rounds
/// found, until a round finds no new derived size. `extents` contains all extents of the model at the largest sizes. No
/// placeholder is a number in `avoided`.
static SuitedImport importSuited(const ImportTask &options, Location loc, ArrayRef<int64_t> extents,
                                 ArrayRef<int64_t> avoided, Suitable suitable, ImportFunction import) {
  std::vector<ScopedSize> sizes = scopedSizes(options);
  std::vector<DerivedDim> derived;
  std::vector<SizeExpression> required;
  auto withAvoided = [&](ArrayRef<int64_t> some) {
    std::vector<int64_t> all(some.begin(), some.end());
    all.insert(all.end(), avoided.begin(), avoided.end());
    return all;
  };
  bool isFixedKnown = false; // whether `fixed` contains only extents that depend on no size
  std::vector<int64_t> fixed = withAvoided(extents);
  SuitedImport result;
  // The derived sizes do not depend on the placeholders, unless an extent accidentally equals a placeholder. In this
  // case types are misinterpreted, and the resulting derived sizes and errors are meaningless.
  constexpr int maxRounds = 6;
  for (int round = 0; round < maxRounds; ++round) {
    ArrayRef<int64_t> taken = fixed;
    std::vector<Placeholders> placeholders;
    if (suitable != Suitable::Unchecked)
      placeholders = choosePlaceholders(sizes, derived, required, taken, /*isUnchecked=*/false, 1);
    // If no placeholders differ from all extents, placeholders that equal extents are allowed. An extent may then be
    // mistaken for a size. The comparison of code for different placeholders finds such an extent, except if the size
    // is hidden, since compiled code does not contain hidden sizes.
    if (placeholders.empty() && suitable == Suitable::EqualToExtents && !isFixedKnown && !options.hidden) {
      taken = avoided;
      placeholders = choosePlaceholders(sizes, derived, required, taken, /*isUnchecked=*/false, 1);
    }
    bool isUnchecked = placeholders.empty();
    if (isUnchecked) {
      required.clear();
      taken = fixed;
      placeholders = choosePlaceholders(sizes, derived, required, taken, isUnchecked, 1);
    }
    if (placeholders.empty())
      break;
    ScopedImport found = importWith(loc, options, placeholders.front(), isUnchecked, taken, import);
    bool isRefused = llvm::any_of(
        found.said, [](const Diagnostic &diagnostic) { return diagnostic.getSeverity() == DiagnosticSeverity::Error; });
    if (isRefused || (failed(found.model) && !found.needsOtherPlaceholders)) {
      result.said = std::move(found.said);
      result.refused = placeholders.front().sizes;
      for (const DerivedDim &dim : found.derived)
        result.refused.push_back(dim.placeholder);
      return result;
    }
    if (!isUnchecked)
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
    if (succeeded(found.model)) {
      std::vector<int64_t> known = withAvoided(found.fixed);
      // An extent that is equal at the largest sizes and with these placeholders depends on no size.
      llvm::copy_if(extents, std::back_inserter(known), [&](int64_t extent) { return found.seen.count(extent); });
      isNew |= std::exchange(fixed, known) != known;
    }
    // The remarks in `found.said` are dropped, since the import at the largest sizes has already printed them.
    if (!isNew && !found.needsOtherPlaceholders) {
      result.choices = choosePlaceholders(sizes, derived, required, fixed, isUnchecked, SizeOptions::choices);
      result.model = std::move(found.model);
      return result;
    }
  }
  ScopedDiagnosticHandler keep(loc.getContext(), keepIn(result.said));
  (void)refuseNumbers(loc, options, derived);
  return result;
}

/// Whether two lists of diagnostics have the same texts.
static bool isSame(ArrayRef<Diagnostic> some, ArrayRef<Diagnostic> others) {
  return some.size() == others.size() && llvm::all_of(llvm::zip_equal(some, others), [](auto pair) {
           return std::get<0>(pair).str() == std::get<1>(pair).str();
         });
}

/// Whether the placeholders of sizes are small enough for an .mlir file.
static bool isPrintable(const Placeholders &placeholders) {
  return llvm::all_of(placeholders.sizes, [](int64_t placeholder) { return placeholder <= maxPlaceholder; });
}

/// Imports the model with placeholders that are suitable for its derived sizes. An extent that accidentally equals a
/// placeholder is mistaken for a size, and the model may be refused for this reason. Therefore an error is reported
/// only if other placeholders lead to errors, too. `extents` are the extents of an import at the largest sizes.
static FailureOr<Model> importFirst(ImportTask &options, Location loc, ArrayRef<int64_t> extents,
                                    ImportFunction import) {
  constexpr int maxRefused = 3;
  std::vector<int64_t> avoided;
  SuitedImport first;
  for (int tries = 0; tries < maxRefused; ++tries) {
    // After an error, which may be due to an extent that equals a placeholder, no placeholder may equal an extent, even
    // if the import must then be unchecked.
    Suitable suitable = tries == 0 ? Suitable::EqualToExtents : Suitable::Distinct;
    SuitedImport found = importSuited(options, loc, extents, avoided, suitable, import);
    if (succeeded(found.model)) {
      // A model is compiled with at least two sets of placeholders. If there is only one set, the model is imported
      // unchecked, since more sets are suitable for an unchecked import.
      if (found.choices.size() < 2) {
        SuitedImport other = importSuited(options, loc, extents, avoided, Suitable::Unchecked, import);
        if (succeeded(other.model) && !other.choices.empty() && isPrintable(other.choices.front()))
          found = std::move(other);
      }
      for (Placeholders &choice : found.choices)
        options.placeholders.push_back(std::make_shared<const Placeholders>(std::move(choice)));
      return std::move(found.model);
    }
    avoided.insert(avoided.end(), found.refused.begin(), found.refused.end());
    bool isLast = tries > 0 && (found.refused.empty() || isSame(found.said, first.said));
    if (tries == 0)
      first = std::move(found);
    if (isLast)
      break;
  }
  say(*loc.getContext(), first.said);
  return failure();
}

/// Adds to the text of each error that it occurs at the largest sizes and, if `isRightAtMinimum`, that there is no
/// error at the smallest sizes.
static void addSizes(MutableArrayRef<Diagnostic> errors, const ImportTask &options, bool isRightAtMinimum) {
  auto describe = [&](function_ref<int64_t(const DimRange &)> sizeOf) {
    std::string text;
    for (const DimRange &range : options.ranges)
      text += " " + range.name + "=" + std::to_string(sizeOf(range));
    return text;
  };
  std::string largest = describe([&](const DimRange &range) { return largestOf(options, range); });
  std::string minimum = describe([](const DimRange &range) { return range.low; });
  for (Diagnostic &error : errors)
    if (error.getSeverity() == DiagnosticSeverity::Error)
      error << ": this occurs at" << largest << (isRightAtMinimum ? " but not at" + minimum : std::string());
}

/// Narrows the ranges to those in `options.sizes.within`, if there are any. Then clears the placeholders, since other
/// placeholders may be suitable for the narrower ranges.
static void narrowRanges(ImportTask &options) {
  if (options.sizes.within.empty())
    return;
  for (DimRange &range : options.ranges) {
    if (auto part = options.sizes.within.find(range.name); part != options.sizes.within.end())
      std::tie(range.low, range.high) = part->second;
    range.classes.clear();
  }
  options.sizes.within.clear();
  options.placeholders.clear();
}

FailureOr<Model> heddle::importSymbolic(MLIRContext &context, StringRef model, ImportTask &options,
                                        ImportFunction import) {
  Location loc = FileLineColLoc::get(&context, model, 0, 0);
  narrowRanges(options);
  auto fix = [&](function_ref<int64_t(const DimRange &)> sizeOf) {
    ImportTask fixed = options;
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
  if (options.sizes.placeholderSet != 0) {
    if (size_t(options.sizes.placeholderSet) >= options.placeholders.size())
      return emitError(loc) << "there is no further set of placeholders for " << namesOf(options)
                            << ", for example because a table of the model has few rows";
    const Placeholders &choice = *options.placeholders[size_t(options.sizes.placeholderSet)];
    ScopedImport other =
        importWith(loc, options, {choice.sizes, choice.functions, {}}, /*isUnchecked=*/true, {}, import);
    say(context, other.said);
    return std::move(other.model);
  }
  if (options.ranges.size() > maxSizes)
    return emitError(loc) << "expected at most " << maxSizes << " sizes in ranges, found " << options.ranges.size();
  // The first import uses fixed sizes instead of symbols. Errors in the model or in the options are thus reported as
  // for a model without ranges.
  auto importSaying = [&](const ImportTask &fixed, SmallVectorImpl<Diagnostic> &said) {
    ScopedDiagnosticHandler keep(&context, keepIn(said));
    return import(fixed);
  };
  SmallVector<Diagnostic> said;
  auto largestSize = [&](const DimRange &range) { return largestOf(options, range); };
  SeenExtents seen;
  FailureOr<Model> largest = importSaying(fix(largestSize), said);
  if (failed(largest)) {
    ImportTask minimum = fix([](const DimRange &range) { return range.low; });
    minimum.result = nullptr;
    SmallVector<Diagnostic> saidAtMinimum;
    FailureOr<Model> other = importSaying(minimum, saidAtMinimum);
    // An error about wrong usage already describes the wrong option, so the sizes are not appended to it.
    bool isUsage = options.result && options.result->wrongUsage;
    if (!isUsage && !isSame(said, saidAtMinimum))
      addSizes(said, options, succeeded(other));
  }
  for (Diagnostic &diagnostic : said)
    context.getDiagEngine().emit(std::move(diagnostic));
  if (failed(largest))
    return failure();
  sortByInputs(options.ranges, *largest->module, options.hidden != nullptr);
  // If the model is not valid at some size in a range, this is an error of the model and not wrong usage.
  options.result = nullptr;
  std::set<int64_t> extents = seen.get();
  for (int64_t extent : extentsOf(*largest->module))
    extents.insert(extent);
  std::vector<int64_t> numbers(extents.lower_bound(2), extents.end());
  return importFirst(options, loc, numbers, import);
}
