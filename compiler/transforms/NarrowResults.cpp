//===- NarrowResults.cpp - stores results for dot products as bf16 --------===//
//
// If a layer's f32 result is read only by layers that round their input to bf16, the pass heddle-narrow-results stores
// the result as bf16. The result is then rounded once, while it is in registers, which does not change any bit of later
// results.
//
//===----------------------------------------------------------------------===//

#include "ForProducts.h"

#include "heddle/Passes.h"

#include "Heddle.h"
#include "Notes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_NARROWRESULTS
#include "heddle/Passes.h.inc"
} // namespace heddle

using namespace heddle;

static Type narrowed(Type type) { return cast<RankedTensorType>(type).clone(BFloat16Type::get(type.getContext())); }

/// Returns the layer that computes result `number` of a kernel if the layer has a `rounding` and an f32 result whose
/// only use is the return of the kernel; null if there is none. Only the lowering of such a layer can round the result
/// while it is in registers.
static LinearOp layerOf(func::FuncOp kernel, unsigned number) {
  Operation *end = kernel.front().getTerminator();
  auto layer = end->getOperand(number).getDefiningOp<LinearOp>();
  bool isLast = layer && layer.getRounding() && layer.getResult().hasOneUse() &&
                getElementTypeOrSelf(layer.getResult().getType()).isF32();
  return isLast ? layer : LinearOp();
}

/// Returns the index of the argument that is the destination of a result.
static unsigned placeOf(func::FuncOp kernel, unsigned result) {
  return kernel.getNumArguments() - kernel.getNumResults() + result;
}

/// Returns whether the argument is read only as the input of layers that round its rows to bf16. The argument must have
/// an even number of columns, so that dot products of pairs of bf16 elements have no remainder.
static bool isRoundedAlone(BlockArgument argument) {
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  if (!type || !type.getElementType().isF32() || argument.use_empty())
    return false;
  return llvm::all_of(argument.getUses(), [](OpOperand &use) {
    auto layer = dyn_cast<LinearOp>(use.getOwner());
    std::optional<RowRoundingAttr> rounding = layer ? layer.getRounding() : std::nullopt;
    return rounding && use.getOperandNumber() == layer.getInputMutable().getOperandNumber() &&
           !rounding->isInteger() && rounding->getElement().isBF16() && rounding->getOutliers().empty() &&
           cast<RankedTensorType>(use.get().getType()).getShape().back() % 2 == 0;
  });
}

/// Returns the value that `value` is a reshape of.
static Value sourceOf(Value value) {
  while (auto *view = value.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(view))
      break;
    value = view->getOperand(0);
  }
  return value;
}

namespace {
/// A result or an argument of a kernel, by its index.
using Place = std::pair<func::FuncOp, unsigned>;

struct NarrowResults : heddle::impl::NarrowResultsBase<NarrowResults> {
  using NarrowResultsBase::NarrowResultsBase;
  void runOnOperation() override;

private:
  /// Returns the kernel that is called; null if the callee is not a kernel.
  func::FuncOp kernelOf(func::CallOp call) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
    return callee && notes::kernel.has(callee) ? callee : func::FuncOp();
  }
  bool feedsReaders(Value value);
  bool isStillNarrow(Place place, bool isResult);
  void narrowView(Value value);
  void narrowResult(Place place);
  void narrowArgument(Place place);

  llvm::DenseMap<func::FuncOp, SmallVector<func::CallOp>> calls; // the calls of each kernel
  llvm::SetVector<Place> results, arguments; // candidates for the narrow type
};
} // namespace

/// Returns whether `value`, possibly reshaped, is passed only to kernels that round it.
bool NarrowResults::feedsReaders(Value value) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(use.getOwner()))
      return feedsReaders(use.getOwner()->getResult(0));
    auto call = dyn_cast<func::CallOp>(use.getOwner());
    return call && arguments.contains({kernelOf(call), use.getOperandNumber()});
  });
}

/// Returns whether every call of the kernel allows the narrow type for this result or argument, given the results and
/// arguments that are still candidates.
bool NarrowResults::isStillNarrow(Place place, bool isResult) {
  auto [kernel, number] = place;
  return llvm::all_of(calls[kernel], [&, kernel = kernel, number = number](func::CallOp call) {
    if (isResult) {
      auto empty = call.getOperand(placeOf(kernel, number)).getDefiningOp<tensor::EmptyOp>();
      return empty && empty->hasOneUse() && feedsReaders(call.getResult(number));
    }
    auto source = dyn_cast<OpResult>(sourceOf(call.getOperand(number)));
    auto maker = source ? dyn_cast<func::CallOp>(source.getOwner()) : func::CallOp();
    return maker && results.contains({kernelOf(maker), source.getResultNumber()});
  });
}

/// Changes the element type of `value`, and of its reshapes, to bf16.
void NarrowResults::narrowView(Value value) {
  value.setType(narrowed(value.getType()));
  for (Operation *user : value.getUsers())
    if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(user))
      narrowView(user->getResult(0));
}

/// Changes the type of the result to bf16, and inserts its rounding after the layer.
void NarrowResults::narrowResult(Place place) {
  auto [kernel, number] = place;
  LinearOp layer = layerOf(kernel, number);
  Operation *end = kernel.front().getTerminator();
  OpBuilder b(end);
  auto type = cast<RankedTensorType>(narrowed(layer.getResult().getType()));
  Value empty = tensor::EmptyOp::create(b, layer.getLoc(), type.getShape(), type.getElementType());
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  auto rounded = linalg::GenericOp::create(
      b, layer.getLoc(), type, layer.getResult(), empty, maps, iterators,
      [](OpBuilder &body, Location loc, ValueRange elements) {
        linalg::YieldOp::create(body, loc, emitForProducts(body, loc, elements[0], elements[1].getType()));
      });
  end->setOperand(number, rounded.getResult(0));
  unsigned out = placeOf(kernel, number);
  kernel.getArgument(out).setType(type);
  SmallVector<Type> inputs(kernel.getArgumentTypes()), yielded(kernel.getResultTypes());
  inputs[out] = yielded[number] = type;
  kernel.setFunctionType(b.getFunctionType(inputs, yielded));
  for (func::CallOp call : calls[kernel]) {
    Value destination = call.getOperand(out);
    destination.setType(narrowed(destination.getType()));
    narrowView(call.getResult(number));
  }
}

/// Changes the type of the argument to bf16, and widens it inside the kernel.
void NarrowResults::narrowArgument(Place place) {
  auto [kernel, number] = place;
  BlockArgument argument = kernel.getArgument(number);
  Type wide = argument.getType();
  argument.setType(narrowed(wide));
  auto b = OpBuilder::atBlockBegin(&kernel.front());
  auto read = DequantizeOp::create(b, argument.getLoc(), wide, argument);
  argument.replaceAllUsesExcept(read.getResult(), read);
  SmallVector<Type> inputs(kernel.getArgumentTypes());
  inputs[number] = argument.getType();
  kernel.setFunctionType(b.getFunctionType(inputs, kernel.getResultTypes()));
}

void NarrowResults::runOnOperation() {
  calls.clear();
  results.clear();
  arguments.clear();
  getOperation().walk([&](func::CallOp call) {
    if (func::FuncOp kernel = kernelOf(call))
      calls[kernel].push_back(call);
  });
  for (auto kernel : getOperation().getOps<func::FuncOp>()) {
    bool hasPlaces = kernel.getNumArguments() >= kernel.getNumResults();
    if (!calls.contains(kernel) || kernel.isDeclaration() || !hasPlaces)
      continue;
    for (unsigned i = 0; i < kernel.getNumResults(); ++i)
      if (layerOf(kernel, i) && kernel.getArgument(placeOf(kernel, i)).use_empty())
        results.insert({kernel, i});
    for (unsigned i = 0; i < placeOf(kernel, 0); ++i)
      if (isRoundedAlone(kernel.getArgument(i)))
        arguments.insert({kernel, i});
  }
  for (bool changed = true; changed;) {
    changed = results.remove_if([&](Place place) { return !isStillNarrow(place, /*isResult=*/true); });
    changed |= arguments.remove_if([&](Place place) { return !isStillNarrow(place, /*isResult=*/false); });
  }
  for (Place place : results)
    narrowResult(place);
  for (Place place : arguments)
    narrowArgument(place);
}
