//===- ScaleLimit.cpp - limits the scales and minima of int8 weights ------===//

#include "ScaleLimit.h"

#include "weights/RecipeSteps.h"

#include "Heddle.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// Scales and minima up to this magnitude are accepted (see ScaleLimit.h).
static constexpr float largestScale = 0x1p96f;

/// Returns whether a recipe, the list of steps that turn a stored weight into the form in the library, contains a step
/// of this kind.
template <typename Step>
static bool has(ArrayAttr recipe) {
  return llvm::any_of(recipe, [](Attribute step) { return isa<Step>(step); });
}

void ScaleLimit::find(ModuleOp module) {
  module.walk([&](LinearOp linear) {
    std::optional<RowRoundingAttr> rounding = linear.getRounding();
    auto stored = linear.getWeight().getDefiningOp<DequantizeOp>();
    if (!rounding || !rounding->isInteger() || !stored || !stored.getScales())
      return;
    auto scales = stored.getScales().getDefiningOp<WeightOp>();
    if (scales) // if a recipe computes scales, getName() is the name of the weight
      (has<ScalesStepAttr>(scales.getRecipe()) ? made : given).insert(scales.getName());
    if (auto ofGroups = stored.getMinima() ? stored.getMinima().getDefiningOp<WeightOp>() : WeightOp())
      minima.insert(ofGroups.getName());
  });
}

/// Returns the names of the stored weights that an entry of the weight table contains, or whose scales or minima the
/// entry contains. There are several names if layers were merged. `name` and `recipe` are the name and the recipe of
/// the entry.
static SmallVector<StringRef> namesOf(StringRef name, ArrayAttr recipe) {
  llvm::SetVector<StringRef> names;
  names.insert(name);
  for (Attribute step : recipe)
    if (auto concat = dyn_cast<ConcatStepAttr>(step))
      for (Attribute attribute : concat.getParts())
        if (std::optional<ConcatPart> part = getConcatPart(attribute); part && !has<BlockSumsStepAttr>(part->recipe))
          names.insert(part->name);
  return names.takeVector();
}

LogicalResult ScaleLimit::check(Location loc, DictionaryAttr entry, ArrayRef<char> bytes) const {
  auto type = cast<RankedTensorType>(cast<TypeAttr>(entry.get("type")).getValue());
  auto recipe = cast<ArrayAttr>(entry.get("recipe"));
  SmallVector<StringRef> names = namesOf(cast<StringAttr>(entry.get("name")).getValue(), recipe);
  bool isMade = has<ScalesStepAttr>(recipe); // whether the recipe computes the scales
  auto isScale = [&](StringRef name) { return (isMade ? made : given).contains(name); };
  auto isMinimum = [&](StringRef name) { return !isMade && minima.contains(name); };
  bool hasScales = llvm::any_of(names, isScale);
  if (!type.getElementType().isF32() || (!hasScales && llvm::none_of(names, isMinimum)))
    return success();
  StringRef complaint = isMade      ? "its elements are too large for 8 bits, with a scale of "
                        : hasScales ? "it has a scale of "
                                    : "it has a minimum of ";
  for (size_t at = 0; at < bytes.size(); at += sizeof(float)) {
    float number = llvm::bit_cast<float>(llvm::support::endian::read32le(bytes.data() + at));
    if (std::isfinite(number) && std::fabs(number) > largestScale)
      return emitError(loc) << (names.size() > 1 ? "one of the weights '" : "weight '") << llvm::join(names, "', '")
                            << "': " << complaint << number << ", above 2^96: products of integers times such a "
                            << (hasScales ? "scale" : "minimum") << " could overflow";
  }
  return success();
}
