//===- DerivedSizes.cpp - sizes that are computed from others -------------===//

#include "DerivedSizes.h"
#include "Notes.h"
#include "SizeDomain.h"
#include "Sizes.h"

using namespace mlir;
using namespace heddle;

DerivedSizes heddle::derivedSizes(ModuleOp module) {
  DerivedSizes sizes;
  for (const DerivedSizeNote &note : notes::derived.get(module).value_or(DerivedSizeNotes()))
    sizes.push_back({note.name, *SizeExpression::fromCode(note.code), note.placeholder, note.low, note.high});
  return sizes;
}

void heddle::setDerivedSizes(ModuleOp module, ArrayRef<DerivedSize> sizes) {
  auto codes = llvm::map_to_vector(sizes, [](const DerivedSize &size) { return size.expression.code(); });
  DerivedSizeNotes notes;
  for (auto [size, code] : llvm::zip_equal(sizes, codes))
    notes.push_back({size.name, code, size.placeholder, size.low, size.high});
  notes::derived.set(module, notes);
}

LogicalResult heddle::deriveSizes(ModuleOp module, ArrayRef<SizeExpression> expressions) {
  Sizes sizes(module);
  SizeDomain domain = sizes.domain();
  SmallVector<StringRef> names;
  SmallVector<int64_t> placeholders;
  for (const SizeRange &range : sizes.all()) {
    names.push_back(range.name);
    placeholders.push_back(range.placeholder);
  }
  std::vector<std::string> texts;
  texts.reserve(expressions.size()); // the notes refer to these strings
  DerivedSizes derived;
  for (const SizeExpression &expression : expressions) {
    texts.push_back(expression.text(names));
    std::optional<SizeBounds> bounds = domain.boundsOf(expression, {}, /*isExact=*/true);
    std::optional<int64_t> number = SizeEvaluator(expression).at(placeholders);
    if (!bounds || !number)
      return module.emitError() << texts.back() << " does not fit into 64 bits at some of the sizes";
    if (bounds->low < 0)
      return module.emitError() << texts.back() << " is less than 0 at some of the sizes";
    if (expression.stacked() > SizeExpression::maxStacked)
      return module.emitError() << texts.back() << " is nested too deeply for the description of a library";
    if (*number < 2)
      return module.emitError() << texts.back() << " has the placeholder " << *number << ", expected at least 2";
    derived.push_back({texts.back(), expression, *number, bounds->low, bounds->high});
  }
  setDerivedSizes(module, derived);
  return success();
}
