//===- MergeProjections.cpp - merges attention projections ----------------===//
//
// The query, key and value projections of an attention layer are linear layers with the same input. The pass
// heddle-merge-projections replaces them by one linear layer with concatenated weights, whose result is sliced. The
// input is then read once.
//
//===----------------------------------------------------------------------===//

#include "heddle/Passes.h"

#include "Heddle.h"
#include "ClassNotes.h"
#include "ops/DequantizeViews.h"
#include "ops/TensorViews.h"

#include "heddle/RowSelect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_MERGEPROJECTIONS
#include "heddle/Passes.h.inc"
} // namespace heddle

namespace {
/// A linear layer, and the row select that sets inactive rows of its result, such as rows of padding, to 0 (null if
/// there is none).
struct Projection {
  LinearOp layer;
  linalg::GenericOp select;

  /// Returns the operation that computes the projection's final result.
  Operation *last() { return select ? select.getOperation() : layer.getOperation(); }
};
} // namespace

/// Returns the projection whose result becomes `operand` by reshapes and transposes alone. Returns a projection without
/// a layer if there is none, if its row select also selects columns, or if the layer's result has users other than the
/// row select.
static Projection findProjection(Value operand) {
  while (isReshape(operand.getDefiningOp()) || operand.getDefiningOp<linalg::TransposeOp>())
    operand = operand.getDefiningOp()->getOperand(0);
  std::optional<RowSelect> rows = matchRowSelect(operand.getDefiningOp());
  if (!rows)
    return {operand.getDefiningOp<LinearOp>(), nullptr};
  unsigned column = cast<RankedTensorType>(operand.getType()).getRank() - 1;
  if (llvm::is_contained(rows->dims, column))
    return {};
  Value kept = rows->value->get();
  return {kept.hasOneUse() ? kept.getDefiningOp<LinearOp>() : nullptr, rows->op};
}

/// Returns whether `value` is a heddle.weight, possibly converted to another element type.
static bool isStored(Value value) { return storedValue(value).getDefiningOp<WeightOp>() != nullptr; }

/// Returns whether the weights can be concatenated along the last dimension without a change of their stored elements.
/// If they have scales, each column must have its own scales.
static bool areStored(Value a, Value b) {
  auto ofA = a.getDefiningOp<DequantizeOp>(), ofB = b.getDefiningOp<DequantizeOp>();
  if (isOfWeights(ofA) && isOfWeights(ofB))
    return areStoredAlike(ofA, ofB) && ofA.getBlock().back() == 1;
  return isStored(a) && isStored(b) &&
         getElementTypeOrSelf(storedValue(a)) == getElementTypeOrSelf(storedValue(b));
}

/// Returns whether `value` is a constant, as small biases may be.
static bool isConstant(Value value) {
  DenseElementsAttr elements;
  return matchPattern(value, m_Constant(&elements));
}

/// Returns whether both layers have the same active rows.
static bool haveSameRows(Projection a, Projection b) {
  if (!a.select || !b.select)
    return !a.select && !b.select;
  std::optional<RowSelect> ofA = matchRowSelect(a.select), ofB = matchRowSelect(b.select);
  return ofA->active->get() == ofB->active->get() && ofA->dims == ofB->dims;
}

/// Returns whether `a` and `b` can be computed as one layer.
static bool areAlike(LinearOp a, LinearOp b) {
  if (a.getInput() != b.getInput() || a.getActivation() != b.getActivation() ||
      a.getRounding() != b.getRounding() || a.getResidual() || b.getResidual() || a.getOutlierChannels() ||
      b.getOutlierChannels() ||
      !areStored(a.getWeight(), b.getWeight()))
    return false;
  if (!a.getBias() || !b.getBias())
    return !a.getBias() && !b.getBias();
  return areStored(a.getBias(), b.getBias()) || (isConstant(a.getBias()) && isConstant(b.getBias()));
}

/// Returns the part of a stored tensor (storedPart) that is read by the weight `value`; null if `value` is not a
/// weight.
static Attribute weightPart(Value value) {
  if (auto weight = value.getDefiningOp<WeightOp>())
    return storedPart(weight.getNameAttr(), weight.getRecipe());
  auto dequantize = value.getDefiningOp<DequantizeOp>();
  return dequantize ? weightPart(dequantize.getInput()) : Attribute();
}

/// Returns whether the layers may be merged. A library may contain code for several classes of sizes (parts of the
/// sizes' ranges). The code for all classes shares one layout of weights, which the first class determines. In the
/// module of this class, the annotation `heddle.merged_weights` contains a unit attribute, which permits all merges. In
/// the modules of other classes, it contains a list for each weight of the first class, and layers may be merged only
/// if one list contains the weights of both. Without the annotation, any layers may be merged.
static bool mayShare(LinearOp a, LinearOp b) {
  std::optional<ArrayAttr> merged = notes::mergedWeights.get(a->getParentOfType<ModuleOp>());
  auto hasBoth = [&](ArrayAttr names) {
    return llvm::all_of(ArrayRef({a, b}), [&](LinearOp layer) {
      return llvm::is_contained(names, weightPart(layer.getWeight()));
    });
  };
  return !merged || llvm::any_of(*merged, [&](Attribute names) { return isa<UnitAttr>(names) || hasBoth(cast<ArrayAttr>(names)); });
}

/// Returns a constant with the elements of all `values`, which are constants of rank 1.
static Value concatConstants(IRRewriter &rewriter, Location loc, ArrayRef<Value> values) {
  SmallVector<Attribute> elements;
  for (Value value : values) {
    DenseElementsAttr part;
    matchPattern(value, m_Constant(&part));
    llvm::append_range(elements, part.getValues<Attribute>());
  }
  auto type = cast<RankedTensorType>(values[0].getType()).clone({int64_t(elements.size())});
  return arith::ConstantOp::create(rewriter, loc, DenseElementsAttr::get(type, elements));
}

/// Concatenates `values` along their last dimension. Later, canonicalization makes a concatenation of weights a step of
/// a recipe (the steps that compute a weight when a library is written). Returns null if the first value is null.
static Value concat(IRRewriter &rewriter, Location loc, ArrayRef<Value> values) {
  if (!values[0])
    return {};
  if (isConstant(values[0]))
    return concatConstants(rewriter, loc, values);
  return tensor::ConcatOp::create(rewriter, loc, cast<RankedTensorType>(values[0].getType()).getRank() - 1, values);
}

/// Merges the layers. The slices of the result have the order of `layers`. The merged layer is inserted at the first of
/// the layers: the input is defined there, and weights can be moved there. The slices, and before them a row select if
/// the layers have one, are inserted at the first of the operations that they replace.
static void merge(ArrayRef<Projection> layers, IRRewriter &rewriter) {
  LinearOp first = llvm::min_element(layers, [](Projection a, Projection b) {
                     return a.layer->isBeforeInBlock(b.layer);
                   })->layer;
  Location loc = first.getLoc();
  SmallVector<Value> weights, biases;
  for (Projection projection : layers) {
    weights.push_back(projection.layer.getWeight());
    biases.push_back(projection.layer.getBias());
  }
  auto moveBefore = [&](Value value) {
    if (Operation *op = value.getDefiningOp(); op && !op->isBeforeInBlock(first))
      rewriter.moveOpBefore(op, first);
  };
  for (Value value : llvm::concat<Value>(weights, biases)) {
    if (!value)
      continue;
    if (auto dequantize = value.getDefiningOp<DequantizeOp>())
      llvm::for_each(dequantize->getOperands(), moveBefore);
    moveBefore(value);
  }
  rewriter.setInsertionPoint(first);
  Value weight = concat(rewriter, loc, weights), bias = concat(rewriter, loc, biases);
  auto type = cast<RankedTensorType>(first.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = cast<RankedTensorType>(weight.getType()).getShape().back();
  Value merged = LinearOp::create(rewriter, loc, type.clone(shape), first.getInput(), weight, bias,
                                  /*residual=*/Value(), first.getActivation(), first.getRoundingAttr());
  Projection place = *llvm::min_element(
      layers, [](Projection a, Projection b) { return a.last()->isBeforeInBlock(b.last()); });
  rewriter.setInsertionPoint(place.last());
  if (place.select) {
    RowSelect rows = *matchRowSelect(place.select);
    merged = buildRowSelect(rewriter, loc, rows.active->get(), rows.dims, merged).getResult(0);
  }
  int64_t offset = 0;
  for (Projection projection : layers) {
    LinearOp layer = projection.layer;
    auto part = cast<RankedTensorType>(layer.getType());
    SmallVector<OpFoldResult> offsets(part.getRank(), rewriter.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(part.getRank(), rewriter.getIndexAttr(1));
    offsets.back() = rewriter.getIndexAttr(offset);
    offset += part.getShape().back();
    SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(rewriter.getContext(), part.getShape());
    Value slice = tensor::ExtractSliceOp::create(rewriter, layer.getLoc(), part, merged, offsets, sizes, strides);
    rewriter.replaceOp(projection.last(), slice);
    if (projection.select)
      rewriter.eraseOp(layer);
  }
}

namespace {
struct MergeProjections : heddle::impl::MergeProjectionsBase<MergeProjections> {
  void runOnOperation() override {
    SmallVector<AttentionOp> attentions;
    getOperation().walk([&](AttentionOp op) { attentions.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (AttentionOp op : attentions) {
      // Lists of layers that can be merged, each in the order query, key, value.
      SmallVector<SmallVector<Projection>> classes;
      for (Value operand : {op.getQuery(), op.getKey(), op.getValue()}) {
        Projection projection = findProjection(operand);
        LinearOp layer = projection.layer;
        if (!layer || ShapedType::isDynamicShape(cast<RankedTensorType>(layer.getType()).getShape()))
          continue;
        auto *found = llvm::find_if(classes, [&](ArrayRef<Projection> known) {
          LinearOp other = known[0].layer;
          return other->getBlock() == layer->getBlock() && areAlike(other, layer) && mayShare(other, layer) &&
                 haveSameRows(known[0], projection);
        });
        if (found == classes.end())
          classes.push_back({projection});
        else if (llvm::none_of(*found, [&](Projection known) { return known.layer == layer; }))
          found->push_back(projection);
      }
      for (SmallVector<Projection> &layers : classes)
        if (layers.size() > 1)
          merge(layers, rewriter);
    }
  }
};
} // namespace
