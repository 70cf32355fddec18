//===- WidenFloats.cpp - computes f16 and bf16 in f32 ---------------------===//
//
// The pass heddle-widen-floats makes a model that is written in f16 or bf16 compute in f32. Arguments, weights, results
// and states keep their narrow types; only the values between them become f32. For a target that multiplies narrow
// numbers, the rows that a linear layer reads, and the operands of attention, are rounded as the model declares them.
//
//===----------------------------------------------------------------------===//

#include "StoredAs.h"

#include "heddle/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_WIDENFLOATS
#include "heddle/Passes.h.inc"
} // namespace heddle

using namespace heddle;

/// Returns the type in which values of `type` are computed: f32 instead of narrower floats, else `type`.
static Type widened(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  if (!element || element.getWidth() >= 32)
    return type;
  Type wide = Float32Type::get(type.getContext());
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? Type(shaped.clone(wide)) : wide;
}

/// Returns the constant in f32, or null if it is neither a float nor a dense array of floats (for example, if it is a
/// resource).
static TypedAttr widened(TypedAttr value) {
  Type type = widened(value.getType());
  auto convert = [](APFloat number) {
    bool losesInfo;
    number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
    return number;
  };
  if (auto number = dyn_cast<FloatAttr>(value))
    return FloatAttr::get(type, convert(number.getValue()));
  if (auto elements = dyn_cast<DenseFPElementsAttr>(value))
    return elements.mapValues(getElementTypeOrSelf(type), [&](const APFloat &number) {
      return convert(number).bitcastToAPInt();
    });
  return {};
}

/// Returns whether the tensor consists of elements of a weight or a constant.
static bool isWeight(Value value) {
  Value source = findMoved(value);
  return storedValue(source).getDefiningOp<WeightOp>() || matchPattern(source, m_Constant());
}

namespace {
/// Rewrites one function. The parameters `operands` are the types of an operation's operands before the function was
/// rewritten.
struct Widener {
  OpBuilder b;
  ArrayRef<std::string> products;          // the types whose products keep the rounding of their rows
  ArrayRef<std::string> attentionProducts; // the types whose products in attention keep the rounding of their factors

  /// Emits a heddle.dequantize that converts a stored narrow value to f32.
  Value stored(Value narrow) {
    return DequantizeOp::create(b, narrow.getLoc(), widened(narrow.getType()), narrow);
  }

  /// Rounds `value` to `type` for an operation that requires the narrow type; reuses the stored value if there is one.
  Value rounded(Location loc, Value value, Type type) {
    for (Value known : {value, storedValue(value)})
      if (known.getType() == type)
        return known;
    return arith::TruncFOp::create(b, loc, type, value);
  }

  /// Keeps an operation in its narrow types because the model itself requires this rounding, or because the operation
  /// reinterprets bits: its operands are rounded to the types `operands`, and its results are widened.
  void keep(Operation *op, TypeRange operands) {
    b.setInsertionPoint(op);
    for (auto [operand, type] : llvm::zip_equal(op->getOpOperands(), operands))
      operand.set(rounded(op->getLoc(), operand.get(), type));
    b.setInsertionPointAfter(op);
    for (OpResult result : op->getResults()) {
      Type type = widened(result.getType());
      if (type == result.getType())
        continue;
      Operation *wide = arith::ExtFOp::create(b, op->getLoc(), type, result);
      result.replaceAllUsesExcept(wide->getResult(0), wide);
    }
  }

  Value roundedRows(Value rows, Type type);
  void roundRows(Operation *op, TypeRange operands);
  void roundAttention(AttentionOp op, TypeRange operands);
  void append(tensor::ConcatOp op, TypeRange operands);
  void append(AppendOp op, TypeRange operands);
  void convert(Operation *op, TypeRange operands);
  void run(FunctionOpInterface function);
};
} // namespace

/// Rounds the elements of `rows`, which were widened, to `type`. A reshape follows the rounding, so that patterns that
/// remove reshapes of a layer's input still apply.
Value Widener::roundedRows(Value rows, Type type) {
  if (Operation *reshape = rows.getDefiningOp(); isReshape(reshape)) {
    Value source = roundedRows(reshape->getOperand(0), type);
    Operation *copy = b.clone(*reshape);
    copy->setOperand(0, source);
    return copy->getResult(0);
  }
  return stored(rounded(rows.getLoc(), rows, cast<ShapedType>(rows.getType()).clone(type)));
}

/// If the operation multiplies rows by a weight, and the model declares both in one of the types `products`, rounds the
/// rows as the model does.
void Widener::roundRows(Operation *op, TypeRange operands) {
  auto linear = dyn_cast<LinearOp>(op);
  auto product = dyn_cast<linalg::LinalgOp>(op);
  bool isProduct = product && linalg::isaContractionOpInterface(product) && product.getNumDpsInputs() == 2 &&
                   isWeight(product.getDpsInputs()[1]);
  if (!linear && !isProduct)
    return;
  OpOperand &rows = linear ? linear.getInputMutable() : *product.getDpsInputOperand(0);
  Value weight = linear ? linear.getWeight() : product.getDpsInputs()[1];
  Type type = getElementTypeOrSelf(operands[rows.getOperandNumber()]);
  if (!llvm::is_contained(products, debugString(type)) || !isStoredAs(weight, type) || isStoredAs(rows.get(), type))
    return;
  b.setInsertionPoint(op);
  if (linear)
    linear.setRoundingAttr(RowRoundingAttr::get(b.getContext(), type));
  else
    rows.set(roundedRows(rows.get(), type));
}

/// If the model declares the operands of attention in one of the types `attentionProducts`, attention rounds the
/// factors of its products to this type, as the model does. The factors remain f32 if the softmax is not computed in
/// f32, if the probabilities are a result, or if there is a region `probability`.
void Widener::roundAttention(AttentionOp op, TypeRange operands) {
  Type type = getElementTypeOrSelf(operands[op.getQueryMutable().getOperandNumber()]);
  bool isInF32 = op.getSoftmaxPrecision() == SoftmaxPrecision::F32;
  if (llvm::is_contained(attentionProducts, debugString(type)) && isInF32 && !op.getWithWeights() &&
      !op.hasProbability())
    op.setRoundingAttr(TypeAttr::get(type));
}

/// Keeps the narrow type of a concatenation if one of its operands is stored in this type, such as a cache to which new
/// keys or values are appended. All operands are rounded to this type.
void Widener::append(tensor::ConcatOp op, TypeRange operands) {
  b.setInsertionPoint(op);
  for (auto [operand, type] : llvm::zip_equal(op->getOpOperands(), operands))
    operand.set(rounded(op.getLoc(), operand.get(), type));
  b.setInsertionPointAfter(op);
  Value wide = stored(op.getResult());
  op.getResult().replaceAllUsesExcept(wide, wide.getDefiningOp());
}

/// Keeps the type of the state. New rows are rounded where they are written.
void Widener::append(AppendOp op, TypeRange operands) {
  Type narrow = operands[op.getStateMutable().getOperandNumber()];
  b.setInsertionPoint(op);
  op.getStateMutable().assign(rounded(op.getLoc(), op.getState(), narrow));
  b.setInsertionPointAfter(op);
  Value wide = stored(op.getResult());
  op.getResult().replaceAllUsesExcept(wide, wide.getDefiningOp());
}

/// Rewrites one operation so that its results of narrower floats become f32.
void Widener::convert(Operation *op, TypeRange operands) {
  if (auto rows = dyn_cast<AppendOp>(op); rows && widened(rows.getResult().getType()) != rows.getResult().getType())
    return append(rows, operands);
  auto concat = dyn_cast<tensor::ConcatOp>(op);
  if (concat && widened(concat.getType()) != concat.getType() &&
      llvm::any_of(concat.getInputs(), [](Value input) { return storedValue(input) != input; }))
    return append(concat, operands);
  if (isa<arith::BitcastOp>(op))
    return keep(op, operands);
  if (isa<arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp>(op)) {
    // The operand keeps its widened type, so that a conversion from f16 to bf16, or the reverse, is computed from f32.
    return keep(op, op->getOperandTypes());
  }
  if (isa<arith::ExtFOp, DequantizeOp>(op) && op->getOperand(0).getType() == op->getResult(0).getType()) {
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    return op->erase();
  }
  if (op->hasTrait<OpTrait::ConstantLike>() || isa<WeightOp>(op)) {
    auto constant = dyn_cast<arith::ConstantOp>(op);
    if (widened(op->getResult(0).getType()) == op->getResult(0).getType())
      return;
    if (TypedAttr value = constant ? widened(constant.getValue()) : TypedAttr()) {
      constant.setValueAttr(value);
      return constant.getResult().setType(value.getType());
    }
    b.setInsertionPointAfter(op);
    Value wide = stored(op->getResult(0));
    return op->getResult(0).replaceAllUsesExcept(wide, wide.getDefiningOp());
  }
  roundRows(op, operands);
  if (auto attention = dyn_cast<AttentionOp>(op))
    roundAttention(attention, operands);
  for (OpResult result : op->getResults())
    result.setType(widened(result.getType()));
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        argument.setType(widened(argument.getType()));
}

void Widener::run(FunctionOpInterface function) {
  Block &entry = function.getFunctionBody().front();
  // The operand types are recorded before any rewriting, because the operands of an operation are converted before the
  // operation itself.
  SmallVector<std::pair<Operation *, SmallVector<Type>>> ops;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != function)
      ops.push_back({op, llvm::to_vector(op->getOperandTypes())});
  });
  b.setInsertionPointToStart(&entry);
  for (BlockArgument argument : entry.getArguments())
    if (widened(argument.getType()) != argument.getType()) {
      Value wide = stored(argument);
      argument.replaceAllUsesExcept(wide, wide.getDefiningOp());
    }
  Operation *end = entry.getTerminator();
  for (auto &[op, operands] : ops)
    if (op == end)
      keep(op, operands);
    else
      convert(op, operands);
}

namespace {
struct WidenFloats : heddle::impl::WidenFloatsBase<WidenFloats> {
  using WidenFloatsBase::WidenFloatsBase;
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (!function.isExternal() && function.getFunctionBody().hasOneBlock())
        Widener{OpBuilder(&getContext()), *products, *attentionProducts}.run(function);
  }
};
} // namespace
