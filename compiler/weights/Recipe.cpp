//===- Recipe.cpp - evaluation of weight recipes --------------------------===//
//
// A recipe is a list of steps that are applied to a stored tensor when a library is written. First the type of the
// result of each step is inferred. This includes all checks, so computing the bytes needs none.
//
//===----------------------------------------------------------------------===//

#include "heddle/Recipe.h"

#include "RecipeSteps.h"
#include "StoredSteps.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

/// The maximum depth of nested recipes: a concat step has a recipe for each of its parts.
static constexpr int depthLimit = 8;
// The maximum values of the parameters of a pack step.
static constexpr int64_t panelLimit = 1024;
static constexpr int64_t interleavedLimit = 16;
static constexpr int64_t depthLimitOfPacking = 16;

/// Returns the type of a tensor of type `type` after a recipe, which is nested in `depth` other recipes. Emits an error
/// if a step is not valid.
static FailureOr<RankedTensorType> inferRecipe(Location loc, RankedTensorType type, ArrayAttr recipe,
                                               const WeightStore &store, int depth);

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

namespace {
/// Checks one step of a recipe and infers the type of its result.
struct StepTypes {
  Location loc;
  RankedTensorType type; // the type before the step
  const WeightStore &store;
  int depth; // the depth of nesting of the recipe

  InFlightDiagnostic refuse(StringRef step) { return emitError(loc) << "recipe step " << step << ": "; }
  RankedTensorType withShape(ArrayRef<int64_t> shape) { return type.clone(shape); }

  FailureOr<RankedTensorType> infer(TransposeStepAttr step) {
    ArrayRef<int64_t> permutation = step.getPermutation();
    if (static_cast<int64_t>(permutation.size()) != type.getRank() || !isPermutationVector(permutation))
      return refuse("transpose") << "expected a permutation of the dimensions of " << type << ", found " << permutation;
    return withShape(applyPermutation(type.getShape(), permutation));
  }

  FailureOr<RankedTensorType> infer(ReshapeStepAttr step) {
    bool valid = llvm::all_of(step.getShape(), [](int64_t extent) { return extent >= 0; });
    std::optional<int64_t> size = valid ? storedSize(withShape(step.getShape())) : std::nullopt;
    if (!size || size != storedSize(type))
      return refuse("reshape") << "expected a shape with as many elements as " << type << ", found " << step.getShape();
    return withShape(step.getShape());
  }

  FailureOr<RankedTensorType> infer(SliceStepAttr step) {
    ArrayRef<int64_t> offsets = step.getOffsets(), sizes = step.getSizes();
    if (static_cast<int64_t>(offsets.size()) != type.getRank() || sizes.size() != offsets.size())
      return refuse("slice") << "expected an offset and a size for each dimension of " << type;
    for (auto [offset, size, extent] : llvm::zip(offsets, sizes, type.getShape()))
      if (offset < 0 || size < 0 || offset > extent || size > extent - offset)
        return refuse("slice") << "offset " << offset << " and size " << size << " exceed the extent " << extent
                               << " of " << type;
    return withShape(sizes);
  }

  FailureOr<RankedTensorType> infer(CastStepAttr step) {
    if ((!isa<FloatType>(type.getElementType()) && !type.getElementType().isInteger(32)) ||
        !isa<FloatType>(step.getType()) ||
        !storedElementSize(step.getType()))
      return refuse("cast") << "expected a cast of floats or i32 to a float type, found " << type.getElementType()
                            << " to " << step.getType();
    return type.clone(step.getType());
  }

  FailureOr<RankedTensorType> infer(ConcatStepAttr step) {
    int64_t axis = step.getAxis();
    if (axis < 0 || axis >= type.getRank())
      return refuse("concat") << "axis " << axis << " is not a dimension of " << type;
    SmallVector<int64_t> shape(type.getShape());
    for (Attribute attribute : step.getParts()) {
      std::optional<ConcatPart> part = getConcatPart(attribute);
      if (!part)
        return refuse("concat") << "expected pairs [name, recipe], found " << attribute;
      const StoredTensor *stored = store.find(part->name);
      if (!stored)
        return refuse("concat") << "there is no weight '" << part->name << "'";
      FailureOr<RankedTensorType> partType = inferRecipe(loc, stored->type, part->recipe, store, depth + 1);
      if (failed(partType))
        return failure();
      SmallVector<int64_t> expected(type.getShape());
      if (axis < partType->getRank())
        expected[axis] = partType->getDimSize(axis);
      if (*partType != type.clone(expected))
        return refuse("concat") << "part '" << part->name << "' of type " << *partType << " does not fit "
                                << type << " along dimension " << axis;
      if (llvm::AddOverflow(shape[axis], partType->getDimSize(axis), shape[axis]))
        return refuse("concat") << "the result is too large";
    }
    return withShape(shape);
  }

  FailureOr<RankedTensorType> infer(PackStepAttr step) {
    int64_t panel = step.getPanel(), interleaved = step.getInterleaved();
    if (type.getRank() != 2 || panel < 1 || panel > panelLimit)
      return refuse("pack") << "expected a matrix and a panel of 1 to " << panelLimit << " columns, found "
                            << type << " and " << panel;
    if (interleaved < 1 || interleaved > interleavedLimit)
      return refuse("pack") << "expected 1 to " << interleavedLimit << " interleaved panels, found " << interleaved;
    if (step.getDepth() < 1 || step.getDepth() > depthLimitOfPacking)
      return refuse("pack") << "expected a depth of 1 to " << depthLimitOfPacking << " rows, found " << step.getDepth();
    return withShape(step.packedShape(type.getDimSize(0), type.getDimSize(1)));
  }

  /// Infers the result of a step whose attribute has a method `applyTo`. The method replaces a shape and an element
  /// type by those of the step's result, and returns an error message, which is empty if the step is valid.
  template <typename Step>
  FailureOr<RankedTensorType> infer(Step step) {
    SmallVector<int64_t> shape(type.getShape());
    Type element = type.getElementType();
    std::string complaint = step.applyTo(shape, element);
    if (!complaint.empty())
      return refuse(Step::getMnemonic()) << complaint << ", found " << type;
    return RankedTensorType::get(shape, element);
  }
};
} // namespace

static FailureOr<RankedTensorType> inferStep(StepTypes types, Attribute step) {
  FailureOr<RankedTensorType> result =
      llvm::TypeSwitch<Attribute, FailureOr<RankedTensorType>>(step)
          .Case<TransposeStepAttr, ReshapeStepAttr, SliceStepAttr, CastStepAttr, ConcatStepAttr, PackStepAttr,
                QuantizeStepAttr, ScalesStepAttr, TakeStepAttr, NumbersStepAttr, KeptBitsStepAttr, BlockSumsStepAttr,
                BytesStepAttr, NibblesStepAttr, JoinNibblesStepAttr, AddStepAttr, UnpackStepAttr>(
              [&](auto known) { return types.infer(known); })
          .Default([&](Attribute unknown) -> FailureOr<RankedTensorType> {
            return emitError(types.loc) << "unknown recipe step " << unknown;
          });
  if (succeeded(result) && !storedSize(*result))
    return emitError(types.loc) << "the result of a recipe is too large to store: " << *result;
  return result;
}

static FailureOr<RankedTensorType> inferRecipe(Location loc, RankedTensorType type, ArrayAttr recipe,
                                               const WeightStore &store, int depth) {
  if (depth > depthLimit)
    return emitError(loc) << "recipes are nested more than " << depthLimit << " levels deep";
  for (Attribute step : recipe) {
    FailureOr<RankedTensorType> next = inferStep({loc, type, store, depth}, step);
    if (failed(next))
      return failure();
    type = *next;
  }
  return type;
}

FailureOr<RankedTensorType> heddle::inferRecipeType(Location loc, RankedTensorType stored, ArrayAttr recipe,
                                                    const WeightStore &store) {
  return inferRecipe(loc, stored, recipe, store, 0);
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// Applies a recipe to a tensor and returns the bytes of the result. inferRecipe must have succeeded for the recipe.
/// Emits an error at `loc` if a step does not support the tensor's elements.
static FailureOr<std::vector<char>> applyRecipe(Location loc, StoredTensor tensor, ArrayAttr recipe,
                                                const WeightStore &store) {
  std::vector<char> bytes;
  for (Attribute step : recipe) {
    FailureOr<RankedTensorType> type = inferStep({loc, tensor.type, store, 0}, step);
    std::vector<char> result(*storedSize(*type));
    bool isValid = true;
    llvm::TypeSwitch<Attribute>(step)
        .Case([&](TransposeStepAttr s) { transposeBytes(tensor, s.getPermutation(), result); })
        .Case([&](ReshapeStepAttr) { llvm::copy(tensor.bytes, result.begin()); })
        .Case([&](SliceStepAttr s) { sliceBytes(tensor, s.getOffsets(), s.getSizes(), result); })
        .Case([&](CastStepAttr s) { castBytes(tensor, s.getType(), result); })
        .Case([&](PackStepAttr s) { packBytes(tensor, s.getPanel(), s.getInterleaved(), s.getDepth(), result); })
        .Case([&](QuantizeStepAttr s) { quantizeBytes(tensor, s.getBits(), s.getBlock(), s.getOutliers(), result); })
        .Case([&](ScalesStepAttr s) { scalesBytes(tensor, s.getBits(), s.getBlock(), s.getOutliers(), result); })
        .Case([&](TakeStepAttr s) { takeBytes(tensor, s.getRows(), result); })
        .Case([&](NumbersStepAttr s) { numbersBytes(s.getNumbers(), result); })
        .Case([&](KeptBitsStepAttr s) { keptBitsBytes(tensor, s.getCount(), result); })
        .Case([&](BlockSumsStepAttr s) { blockSumsBytes(tensor, s.getBlock(), result); })
        .Case([&](BytesStepAttr) { llvm::copy(tensor.bytes, result.begin()); })
        .Case([&](NibblesStepAttr) { nibblesBytes(tensor, result); })
        .Case([&](JoinNibblesStepAttr s) {
          std::optional<int64_t> unknown = joinNibblesBytes(tensor, s.getRows(), s.getValues(), result);
          if (unknown)
            emitError(loc) << "recipe step join_nibbles: the element " << *unknown << " is not among the values";
          isValid = !unknown;
        })
        .Case([&](AddStepAttr s) { addBytes(tensor, s.getNumber(), result); })
        .Case([&](UnpackStepAttr s) { unpackBytes(tensor, s.getFormat(), s.getPart(), result); })
        .Case([&](ConcatStepAttr s) {
          int64_t position = 0;
          copyIntoConcat(tensor, s.getAxis(), *type, position, result);
          for (Attribute attribute : s.getParts()) {
            ConcatPart part = *getConcatPart(attribute);
            StoredTensor stored = *store.find(part.name);
            FailureOr<std::vector<char>> partBytes = applyRecipe(loc, stored, part.recipe, store);
            isValid &= succeeded(partBytes);
            RankedTensorType partType = *inferRecipe(loc, stored.type, part.recipe, store, 0);
            if (isValid)
              copyIntoConcat({partType, *partBytes}, s.getAxis(), *type, position, result);
          }
        });
    if (!isValid)
      return failure();
    bytes = std::move(result);
    tensor = {*type, bytes};
  }
  if (recipe.empty())
    bytes.assign(tensor.bytes.begin(), tensor.bytes.end());
  return bytes;
}

FailureOr<std::vector<char>> heddle::evaluateRecipe(WeightOp weight, const WeightStore &store) {
  Location loc = weight.getLoc();
  const StoredTensor *stored = store.find(weight.getName());
  if (!stored)
    return weight.emitOpError() << "there is no weight '" << weight.getName() << "'";
  FailureOr<RankedTensorType> type = inferRecipeType(loc, stored->type, weight.getRecipe(), store);
  if (failed(type))
    return failure();
  if (*type != weight.getResult().getType()) {
    InFlightDiagnostic error = weight.emitOpError();
    error << "'" << weight.getName() << "' is stored as " << stored->type;
    if (*type != stored->type)
      error << ", and its recipe results in " << *type;
    return error << ", but the result type of the operation is " << weight.getResult().getType();
  }
  return applyRecipe(loc, *stored, weight.getRecipe(), store);
}
