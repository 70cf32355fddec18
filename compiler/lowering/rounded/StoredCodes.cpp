//===- StoredCodes.cpp - the integers that a stored weight contains -------===//

#include "StoredCodes.h"
#include "panels/CallerWeights.h"

using namespace mlir;
using namespace heddle;

/// Returns the codes of a format in the order of the bits that represent them; none if they have 8 bits.
static SmallVector<int64_t> codesOf(Format format) {
  int64_t width = 0;
  for (const FormatBits &field : format.getPlanes().front().bits)
    width += field.width;
  SmallVector<int64_t> codes;
  for (int64_t bits = 0; width < 8 && bits < int64_t(1) << width; ++bits)
    codes.push_back(format.getCode(bits));
  return codes;
}

/// Returns whether a step only moves elements, or adds elements for which `isSame` is true of their recipe.
static bool keepsElements(Attribute step, function_ref<bool(ArrayAttr)> isSame) {
  if (auto concat = dyn_cast<ConcatStepAttr>(step))
    return llvm::all_of(concat.getParts(),
                        [&](Attribute part) { return isSame(cast<ArrayAttr>(cast<ArrayAttr>(part)[1])); });
  return isa<TransposeStepAttr, ReshapeStepAttr, SliceStepAttr, TakeStepAttr>(step);
}

/// Returns the numbers that the result of a recipe can contain (findCodes).
static SmallVector<int64_t> codesOf(ArrayAttr recipe) {
  SmallVector<int64_t> codes;
  for (Attribute step : recipe) {
    if (auto unpack = dyn_cast<UnpackStepAttr>(step))
      codes = unpack.getPart() == FormatPart::Codes ? codesOf(unpack.getFormat()) : SmallVector<int64_t>();
    else if (isa<NibblesStepAttr>(step))
      codes = llvm::to_vector(llvm::seq<int64_t>(0, 16));
    else if (auto add = dyn_cast<AddStepAttr>(step))
      for (int64_t &code : codes)
        code = int8_t(code + add.getNumber());
    else if (!keepsElements(step, [&](ArrayAttr part) { return codesOf(part) == codes; }))
      codes.clear();
  }
  return codes;
}

/// Returns whether the result of a recipe consists of scales or offsets that are exact in f16.
static bool isExactInF16(ArrayAttr recipe) {
  bool isExact = false;
  for (Attribute step : recipe) {
    if (auto unpack = dyn_cast<UnpackStepAttr>(step))
      isExact = unpack.getPart() != FormatPart::Codes && unpack.getFormat().isExactInF16();
    else
      isExact &= keepsElements(step, isExactInF16);
  }
  return isExact;
}

/// Returns the recipes of the weights that the callers of a kernel pass for its argument `value`.
static SmallVector<ArrayAttr> recipesOf(Value value) {
  FailureOr<SmallVector<OpOperand *>> weights = findCallerWeights(value);
  if (failed(weights))
    return {};
  return llvm::map_to_vector(*weights, [](OpOperand *use) { return use->get().getDefiningOp<WeightOp>().getRecipe(); });
}

SmallVector<int64_t> heddle::findCodes(Value weight) {
  SmallVector<ArrayAttr> recipes = recipesOf(weight);
  SmallVector<int64_t> codes = recipes.empty() ? SmallVector<int64_t>() : codesOf(recipes.front());
  bool areSame = llvm::all_of(recipes, [&](ArrayAttr recipe) { return codesOf(recipe) == codes; });
  return areSame ? codes : SmallVector<int64_t>();
}

bool heddle::areExactInF16(Value parameters) {
  SmallVector<ArrayAttr> recipes = recipesOf(parameters);
  return !recipes.empty() && llvm::all_of(recipes, isExactInF16);
}
