//===- Breaks.cpp - simulated compiler bugs -------------------------------===//

#include "Breaks.h"

#include "Heddle.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

/// Returns the first operation of type `Op` for which `wanted` is true; null if there is none.
template <typename Op>
static Op find(ModuleOp module, llvm::function_ref<bool(Op)> wanted = [](Op) { return true; }) {
  Op found;
  module.walk([&](Op op) {
    if (!wanted(op))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

/// Replaces the first operation of type `Op` for which `wanted` is true by the value that `make` creates before it.
/// Returns false if there is no such operation.
template <typename Op>
static bool replace(ModuleOp module, llvm::function_ref<Value(OpBuilder &, Op)> make,
                    llvm::function_ref<bool(Op)> wanted = [](Op) { return true; }) {
  Op op = find<Op>(module, wanted);
  if (!op)
    return false;
  OpBuilder builder(op);
  op->getResult(0).replaceAllUsesWith(make(builder, op));
  op->erase();
  return true;
}

/// Creates an index constant before an operation.
static Value constant(Operation *before, int64_t value) {
  OpBuilder builder(before);
  return arith::ConstantIndexOp::create(builder, before->getLoc(), value);
}

static func::FuncOp functionOf(Operation *op) { return op->getParentOfType<func::FuncOp>(); }

// The following functions change a module as a bug would. They return false if the module has nothing to change.

/// Sets the scale of the first attention to 0.5.
static bool otherScale(ModuleOp module) {
  auto op = find<AttentionOp>(module);
  if (!op)
    return false;
  op.setScaleAttr(FloatAttr::get(Float64Type::get(module.getContext()), 0.5));
  return true;
}

/// Replaces the exact GELU of a linear layer by the approximation with tanh.
static bool otherGelu(ModuleOp module) {
  auto op = find<LinearOp>(module, [](LinearOp linear) { return linear.getActivation() == Activation::Gelu; });
  if (op)
    op.setActivation(Activation::GeluTanh);
  return bool(op);
}

/// Removes the residual of a linear layer.
static bool noResidual(ModuleOp module) {
  auto op = find<LinearOp>(module, [](LinearOp linear) { return bool(linear.getResidual()); });
  if (op)
    op.getResidualMutable().clear();
  return bool(op);
}

/// Swaps the first two operands of the first call.
static bool swapOperands(ModuleOp module) {
  auto call = find<func::CallOp>(module, [](func::CallOp one) { return one.getNumOperands() >= 2; });
  if (!call)
    return false;
  Value first = call.getOperand(0);
  call.setOperand(0, call.getOperand(1));
  call.setOperand(1, first);
  return true;
}

/// Replaces the callee of the first call for which there is another kernel with the same type.
static bool otherKernel(ModuleOp module) {
  auto call = find<func::CallOp>(module, [&](func::CallOp one) {
    for (auto other : module.getOps<func::FuncOp>())
      if (other.isPrivate() && other.getName() != one.getCallee() && other.getFunctionType() == one.getCalleeType()) {
        one.setCallee(other.getName());
        return true;
      }
    return false;
  });
  return bool(call);
}

/// Swaps the offsets of two buffers of the same type in one block of memory. In the tested model, they are weights.
static bool swapWeights(ModuleOp module) {
  memref::ViewOp found;
  auto later = find<memref::ViewOp>(module, [&](memref::ViewOp view) {
    found = find<memref::ViewOp>(module, [&](memref::ViewOp other) {
      return other != view && other.getType() == view.getType() && other.getSource() == view.getSource();
    });
    return bool(found);
  });
  if (!later)
    return false;
  Value shift = later.getByteShift();
  later.getByteShiftMutable().assign(constant(later, *getConstantIntValue(found.getByteShift())));
  found.getByteShiftMutable().assign(constant(found, *getConstantIntValue(shift)));
  return true;
}

/// Sets the offset of a buffer in the arena of @main to the offset of an earlier buffer of the same type.
static bool sharePlace(ModuleOp module) {
  memref::ViewOp before;
  auto view = find<memref::ViewOp>(module, [&](memref::ViewOp one) {
    if (!functionOf(one).isPublic() || cast<BlockArgument>(one.getSource()).getArgNumber() + 1 !=
                                           functionOf(one).getNumArguments())
      return false;
    bool second = before && before.getType() == one.getType();
    before = second ? before : one;
    return second;
  });
  if (view)
    view.getByteShiftMutable().assign(constant(view, *getConstantIntValue(before.getByteShift())));
  return bool(view);
}

/// Removes the first vector.transfer_write.
static bool noStore(ModuleOp module) {
  auto write = find<vector::TransferWriteOp>(module);
  if (write)
    write.erase();
  return bool(write);
}

/// Moves a buffer to the last 4 bytes of the scratch memory, so that it exceeds the end.
static bool beyondScratch(ModuleOp module) {
  auto view = find<memref::ViewOp>(module, [](memref::ViewOp one) { return functionOf(one).isPrivate(); });
  if (view)
    view.getByteShiftMutable().assign(constant(view, view.getSource().getType().getDimSize(0) - 4));
  return bool(view);
}

/// Decreases the number of tasks of the first heddle.dispatch by one.
static bool oneTaskLess(ModuleOp module) {
  auto dispatch = find<DispatchOp>(module);
  if (dispatch)
    dispatch.getCountMutable().assign(constant(dispatch, *getConstantIntValue(dispatch.getCount()) - 1));
  return bool(dispatch);
}

/// Returns the function that the first heddle.dispatch runs; null if there is none.
static func::FuncOp findTask(ModuleOp module) {
  auto dispatch = find<DispatchOp>(module);
  return dispatch ? module.lookupSymbol<func::FuncOp>(dispatch.getTask()) : func::FuncOp();
}

/// Makes every task compute the iterations of task 0.
static bool sameTask(ModuleOp module) {
  func::FuncOp task = findTask(module);
  if (task)
    task.getArgument(0).replaceAllUsesWith(constant(&task.front().front(), 0));
  return bool(task);
}

/// Removes the first write to a task's scratch memory, so that the task reads elements that another task wrote.
static bool scratchOfAnother(ModuleOp module) {
  func::FuncOp task = findTask(module);
  auto write = find<vector::TransferWriteOp>(module, [&](vector::TransferWriteOp one) {
    Value base = one.getBase();
    while (auto view = base.getDefiningOp<ViewLikeOpInterface>())
      base = view.getViewSource();
    return functionOf(one) == task && base == task.getArgument(1);
  });
  if (write)
    write.erase();
  return bool(write);
}

/// Swaps the two values of a select.
static bool otherWay(ModuleOp module) {
  return replace<arith::SelectOp>(module, [](OpBuilder &builder, arith::SelectOp op) -> Value {
    return arith::SelectOp::create(builder, op.getLoc(), op.getCondition(), op.getFalseValue(), op.getTrueValue());
  });
}

/// Makes the first loop end one step early.
static bool shortLoop(ModuleOp module) {
  auto loop = find<scf::ForOp>(module, [](scf::ForOp one) {
    return getConstantIntValue(one.getUpperBound()) && getConstantIntValue(one.getStep());
  });
  if (!loop)
    return false;
  int64_t end = *getConstantIntValue(loop.getUpperBound());
  loop.setUpperBound(constant(loop, end - *getConstantIntValue(loop.getStep())));
  return true;
}

/// Replaces a multiply-add by a multiplication.
static bool noSum(ModuleOp module) {
  return replace<vector::FMAOp>(module, [](OpBuilder &builder, vector::FMAOp op) -> Value {
    return arith::MulFOp::create(builder, op.getLoc(), op.getLhs(), op.getRhs());
  });
}

/// Replaces the sum of a vector's elements by their product.
static bool otherReduction(ModuleOp module) {
  return replace<vector::ReductionOp>(module, [](OpBuilder &builder, vector::ReductionOp op) -> Value {
    return vector::ReductionOp::create(builder, op.getLoc(), vector::CombiningKind::MUL, op.getVector());
  }, [](vector::ReductionOp op) { return op.getKind() == vector::CombiningKind::ADD; });
}

/// Makes a constant mask one lane shorter.
static bool shortMask(ModuleOp module) {
  auto mask = find<vector::ConstantMaskOp>(module);
  if (mask)
    mask.setMaskDimSizes({mask.getMaskDimSizes()[0] - 1});
  return bool(mask);
}

/// Swaps a factor and the constant summand of a multiply-add, such as a step in the evaluation of a polynomial.
static bool otherPolynomial(ModuleOp module) {
  return replace<math::FmaOp>(module, [](OpBuilder &builder, math::FmaOp op) -> Value {
    return math::FmaOp::create(builder, op.getLoc(), op.getA(), op.getC(), op.getB());
  }, [](math::FmaOp op) { return matchPattern(op.getC(), m_Constant()); });
}

/// Swaps the operands of the first comparison by "less than" or "less than or equal".
static bool otherComparison(ModuleOp module) {
  auto comparison = find<arith::CmpFOp>(module, [](arith::CmpFOp op) {
    return llvm::StringRef(arith::stringifyCmpFPredicate(op.getPredicate())).contains('l'); // olt, ole, ult or ule
  });
  if (comparison)
    comparison->setOperands({comparison.getRhs(), comparison.getLhs()});
  return bool(comparison);
}

/// Replaces a masked store by a store of the whole vector.
static bool noMask(ModuleOp module) {
  auto store = find<vector::MaskedStoreOp>(module);
  if (!store)
    return false;
  OpBuilder builder(store);
  vector::StoreOp::create(builder, store.getLoc(), store.getValueToStore(), store.getBase(), store.getIndices());
  store.erase();
  return true;
}

std::vector<Break> breaks() {
  static constexpr char linear[] = "linear m=40 n=100 k=64 activation=gelu bias=1 residual=1 weights=constant";
  static constexpr char attention[] = "attention b=2 hq=4 hkv=4 s=39 d=16 mask=qk";
  static constexpr char softmax[] = "softmax rows=20 d=39";
  static constexpr char norm[] = "layer_norm rows=20 d=39";
  static constexpr char transformer[] = "/data/seeds/004-transformer-multi/model.onnx";
  static constexpr char norms[] = "/verify/Inputs/two-norms.mlir";
  static constexpr char heads[] = "/data/seeds/003-multi-head/model.onnx", matmul[] = "/verify/Inputs/matmul.mlir";
  return {
      // Bugs of passes.
      {"RecogniseUsesAnotherScale", heads, Stage::Recognise, "main", "differs first at [0, 0, 0]", otherScale},
      {"RecogniseUsesAnotherGelu", linear, Stage::Recognise, "main", "out differs first at [", otherGelu},
      {"FuseLosesAResidual", linear, Stage::Fuse, "main", "out differs first at [0, 0]", noResidual},
      {"KernelsSwapOperands", attention, Stage::Kernels, "main", "out differs first at [0, 0, 0, 0]", swapOperands},
      {"KernelsThatDifferBecomeOne", norms, Stage::Kernels, "main", "differs first at [", otherKernel},
      {"BufferizeSwapsWeights", transformer, Stage::Bufferize, "main", ", of @k", swapWeights},
      {"BufferizeLosesAStore", softmax, Stage::Bufferize, "k0", "output0 differs first at [", noStore},
      {"PlanOverlapsTwoBuffers", transformer, Stage::Plan, "main", ", of @k", sharePlace},
      {"PlanExceedsTheScratch", attention, Stage::Plan, "k0", "'memref.view' op takes bytes [", beyondScratch},
      {"DispatchRunsOneTaskLess", attention, Stage::Dispatch, "k0", "output0 differs first at [", oneTaskLess},
      {"DispatchAlwaysRunsTask0", attention, Stage::Dispatch, "k0", "output0 differs first at [", sameTask},
      {"DispatchTasksShareTheirScratch", attention, Stage::Dispatch, "k0",
       "output0 differs first at [", scratchOfAnother},
      // Bugs of strategies.
      {"StrategyTilesASoftmaxAcross", softmax, Stage::Tile, "k0", "output0 differs first at [0, 0]", nullptr, "softmax",
       "softmax-across.mlir"},
      {"StrategyMakesTasksOfSums", matmul, Stage::Tile, "k0", "output0 differs first at [0, 0]", nullptr, "contraction",
       "contraction-race.mlir"},
      {"TileInvertsTheMask", attention, Stage::Tile, "k0", "output0 differs first at [0, 0, 0, 0]", otherWay},
      {"TileForgetsTheLastRows", linear, Stage::Tile, "k0", "output0 differs first at [", shortLoop},
      {"VectorizeLosesASum", linear, Stage::Vectorize, "k0", "output0 differs first at [", noSum},
      {"VectorizeReducesByProducts", norm, Stage::Vectorize, "k0", "output0 differs first at [0, 0]", otherReduction},
      {"VectorizeMasksOneMoreLane", linear, Stage::Vectorize, "k0", "output0 differs first at [0, 99]", shortMask},
      // Bugs of lowerings.
      {"LoopsUseAnotherPolynomial", softmax, Stage::Loops, "k0", "output0 differs first at [0, 0]", otherPolynomial},
      {"LoopsCompareTheOtherWay", linear, Stage::Loops, "k0", "output0 differs first at [0, 0]", otherComparison},
      {"LoopsStorePastTheRow", linear, Stage::Loops, "k0",
       "'vector.store' op index 4 is out of range for dimension 1 of size 4", noMask},
      {"LoopsEndEarly", linear, Stage::Loops, "k0", "output0 differs first at [", shortLoop},
  };
}
