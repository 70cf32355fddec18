//===- Weight.cpp - constraints of a weight's recipe ----------------------===//

#include "Shapes.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

namespace {
/// The shape (nullopt if unknown) and element type (null if unknown) of the tensor after some steps of the recipe. They
/// are unknown until a step determines them: the type of the stored tensor is in the weight store, which the verifier
/// does not open.
struct Known {
  std::optional<SmallVector<int64_t>> shape;
  Type element;
};
} // namespace

/// Each `apply` updates `known` by one step. It returns an error message, or an empty string if the step is valid.
static std::string apply(TransposeStepAttr step, Known &known) {
  ArrayRef<int64_t> permutation = step.getPermutation();
  SmallVector<int64_t> sorted(permutation);
  llvm::sort(sorted);
  for (auto [i, entry] : llvm::enumerate(sorted))
    if (entry != int64_t(i))
      return shapeText(permutation) + " is not a permutation";
  if (!known.shape)
    return "";
  if (known.shape->size() != permutation.size())
    return shapeText(permutation) + " does not fit a tensor of rank " + std::to_string(known.shape->size());
  SmallVector<int64_t> shape;
  for (int64_t entry : permutation)
    shape.push_back((*known.shape)[entry]);
  known.shape = shape;
  return "";
}

static std::string apply(ReshapeStepAttr step, Known &known) {
  int64_t count = 1;
  for (int64_t size : step.getShape())
    if (size < 0 || llvm::MulOverflow(count, size, count))
      return shapeText(step.getShape()) + " is not a static shape";
  if (known.shape && llvm::product_of(*known.shape) != count)
    return shapeText(step.getShape()) + " has another number of elements than " + shapeText(*known.shape);
  known.shape = SmallVector<int64_t>(step.getShape());
  return "";
}

static std::string apply(SliceStepAttr step, Known &known) {
  ArrayRef<int64_t> offsets = step.getOffsets(), sizes = step.getSizes();
  if (offsets.size() != sizes.size() || (known.shape && known.shape->size() != sizes.size()))
    return shapeText(offsets) + ", " + shapeText(sizes) + ": expected an offset and a size for each dimension";
  for (auto [i, size] : llvm::enumerate(sizes))
    if (offsets[i] < 0 || size < 0 || (known.shape && (size > (*known.shape)[i] || offsets[i] > (*known.shape)[i] - size)))
      return shapeText(offsets) + ", " + shapeText(sizes) + " is outside " +
             (known.shape ? shapeText(*known.shape) : "any tensor");
  known.shape = SmallVector<int64_t>(sizes);
  return "";
}

static std::string apply(CastStepAttr step, Known &known) {
  if (!isa<FloatType>(step.getType()))
    return "the type is not a float type";
  known.element = step.getType();
  return "";
}

static std::string apply(ConcatStepAttr step, Known &known) {
  if (step.getAxis() < 0 || (known.shape && step.getAxis() >= int64_t(known.shape->size())))
    return "axis " + std::to_string(step.getAxis()) + " is not a dimension of the tensor";
  for (Attribute part : step.getParts()) {
    auto pair = dyn_cast<ArrayAttr>(part);
    if (!pair || pair.size() != 2 || !isa<StringAttr>(pair[0]) || !isa<ArrayAttr>(pair[1]))
      return "a part is not a pair of name and recipe";
  }
  known.shape.reset(); // the sizes of the parts are in the weight store
  return "";
}

SmallVector<int64_t> PackStepAttr::packedShape(int64_t rows, int64_t columns) const {
  int64_t panels = llvm::divideCeilSigned(columns, getPanel());
  SmallVector<int64_t> shape = {panels, llvm::divideCeilSigned(rows, getDepth()), getPanel()};
  if (getInterleaved() > 1) {
    shape[0] = llvm::divideCeilSigned(panels, getInterleaved());
    shape.insert(shape.begin(), getInterleaved());
  }
  if (getDepth() > 1)
    shape.push_back(getDepth());
  return shape;
}

static std::string apply(PackStepAttr step, Known &known) {
  if (step.getPanel() < 1)
    return "panel " + std::to_string(step.getPanel()) + " is not positive";
  if (step.getInterleaved() < 1)
    return "the number of interleaved panels is " + std::to_string(step.getInterleaved()) + ", expected at least 1";
  if (step.getDepth() < 1)
    return "depth " + std::to_string(step.getDepth()) + " is not positive";
  if (!known.shape)
    return "";
  if (known.shape->size() != 2)
    return "only a matrix can be packed, not rank " + std::to_string(known.shape->size());
  known.shape = step.packedShape((*known.shape)[0], (*known.shape)[1]);
  return "";
}

static std::string apply(NumbersStepAttr step, Known &known) {
  known.shape.emplace();
  return step.applyTo(*known.shape, known.element);
}

/// Applies a step that is defined with Heddle_StoredStep. Whether it is valid depends on both the shape and the element
/// type.
template <typename Step>
static std::string apply(Step step, Known &known) {
  if (known.shape && known.element)
    return step.applyTo(*known.shape, known.element);
  known = {}; // the type of the step's result depends on the type in the weight store
  return "";
}

LogicalResult WeightOp::verifyConstraints() {
  Known known;
  for (auto [i, attribute] : llvm::enumerate(getRecipe())) {
    std::string complaint =
        TypeSwitch<Attribute, std::string>(attribute)
            .Case<TransposeStepAttr, ReshapeStepAttr, SliceStepAttr, CastStepAttr, ConcatStepAttr, PackStepAttr,
                  QuantizeStepAttr, ScalesStepAttr, TakeStepAttr, NumbersStepAttr, KeptBitsStepAttr, BlockSumsStepAttr,
                  BytesStepAttr, NibblesStepAttr, JoinNibblesStepAttr, AddStepAttr, UnpackStepAttr>(
                [&](auto step) { return apply(step, known); })
            .Default([](Attribute) { return "expected a step of a recipe"; });
    if (!complaint.empty())
      return emitOpError("recipe step #") << i << ' ' << attribute << ": " << complaint << " (C1)";
  }
  auto type = cast<RankedTensorType>(getType());
  if (known.shape && ArrayRef<int64_t>(*known.shape) != type.getShape())
    return emitOpError("result has shape ")
           << shapeText(type.getShape()) << ", expected " << shapeText(*known.shape) << " as the recipe gives (C2)";
  if (known.element && known.element != type.getElementType())
    return emitOpError("result has element type ") << type.getElementType() << ", expected " << known.element
                                                   << " as the recipe gives (C2)";
  return success();
}
