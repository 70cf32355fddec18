//===- BindResults.cpp - writes results to destinations -------------------===//

#include "heddle/Passes.h"

#include "Notes.h"
#include "ops/TensorViews.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_BINDRESULTS
#include "heddle/Passes.h.inc"
} // namespace heddle

static constexpr llvm::StringLiteral writableAttr = bufferization::BufferizationDialect::kWritableAttrName;

/// If a result of @main is the new value of a state, returns the argument that is this state. Otherwise returns null.
static BlockArgument stateOf(func::FuncOp main, unsigned result) {
  std::optional<StringRef> name = heddle::notes::state.getOfResult(main, result);
  for (BlockArgument argument : main.getArguments())
    if (name && heddle::notes::state.get(main, argument.getArgNumber()) == name)
      return argument;
  return {};
}

/// Returns the destination of each result of @main, that is, the tensor to whose memory the result is written: a new
/// argument with the result's attributes or, for a state, the argument that is this state.
static FailureOr<SmallVector<Value>> addDestinations(func::FuncOp main) {
  Builder builder(main.getContext());
  SmallVector<Value> destinations;
  for (unsigned i = 0, e = main.getNumResults(); i < e; ++i) {
    if (BlockArgument state = stateOf(main, i)) {
      main.setArgAttr(state.getArgNumber(), writableAttr, builder.getBoolAttr(true));
      destinations.push_back(state);
    } else {
      SmallVector<NamedAttribute> attrs(main.getResultAttrDict(i) ? main.getResultAttrDict(i).getValue()
                                                                  : ArrayRef<NamedAttribute>());
      attrs.push_back(builder.getNamedAttr(writableAttr, builder.getBoolAttr(true)));
      attrs.push_back(heddle::notes::result.with(main.getContext(), i));
      if (failed(main.insertArgument(main.getNumArguments(), main.getResultTypes()[i],
                                     builder.getDictionaryAttr(attrs), main.getLoc())))
        return failure();
      destinations.push_back(main.getArguments().back());
    }
    for (StringRef moved : {heddle::notes::name.name, heddle::notes::boolean.name, heddle::notes::zeroWhere.name,
                            heddle::notes::indexCheck.name, heddle::notes::state.name})
      main.removeResultAttr(i, builder.getStringAttr(moved));
  }
  return destinations;
}

/// Returns the destinations of a kernel: its writable arguments.
static SmallVector<Value> findDestinations(func::FuncOp kernel) {
  SmallVector<Value> destinations;
  for (BlockArgument arg : kernel.getArguments())
    if (auto writable = kernel.getArgAttrOfType<BoolAttr>(arg.getArgNumber(), writableAttr);
        writable && writable.getValue())
      destinations.push_back(arg);
  return destinations;
}

/// If `value` is a result of a kernel or a reshape of one, and the kernel writes this result to an empty tensor that
/// has no other use, makes the kernel write to `destination` instead.
static void writeInPlace(Value value, Value destination) {
  SmallVector<Operation *> views;
  Value source = value;
  while (Operation *op = source.getDefiningOp()) {
    if (!isReshape(op))
      break;
    views.push_back(op);
    source = op->getOperand(0);
  }
  auto call = source.getDefiningOp<func::CallOp>();
  if (!call)
    return;
  unsigned result = cast<OpResult>(source).getResultNumber();
  OpOperand &operand = call->getOpOperand(call.getNumOperands() - call.getNumResults() + result);
  auto empty = operand.get().getDefiningOp<tensor::EmptyOp>();
  if (!empty || !empty->hasOneUse())
    return;
  OpBuilder builder(empty);
  Location loc = empty.getLoc();
  for (Operation *view : views) {
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view))
      destination = tensor::CollapseShapeOp::create(builder, loc, expand.getSrcType(), destination,
                                                    expand.getReassociationIndices());
    else
      destination = tensor::ExpandShapeOp::create(
          builder, loc, cast<tensor::CollapseShapeOp>(view).getSrcType(), destination,
          cast<tensor::CollapseShapeOp>(view).getReassociationIndices());
  }
  operand.set(destination);
  empty.erase();
}

/// Returns the tensor whose buffer will contain `value` after bufferization. This is an argument, or the result of an
/// operation that creates a tensor: reshapes are traced back to their operands, and the results of loops, kernels and
/// other operations to the tensors into which they are written.
static Value writtenTo(Value value) {
  while (auto result = dyn_cast<OpResult>(value)) {
    Operation *op = result.getOwner();
    if (isReshape(op))
      value = op->getOperand(0);
    else if (auto forall = dyn_cast<scf::ForallOp>(op))
      value = forall.getTiedOpOperand(result)->get();
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      value = loop.getTiedLoopInit(result)->get();
    else if (auto call = dyn_cast<func::CallOp>(op))
      value = call.getOperand(call.getNumOperands() - call.getNumResults() + result.getResultNumber());
    else if (auto dps = dyn_cast<DestinationStyleOpInterface>(op))
      value = dps.getTiedOpOperand(result)->get();
    else
      break;
  }
  return value;
}

/// Makes the function write each returned value to its destination, with a copy only where it is necessary.
static void bind(func::FuncOp func, ArrayRef<Value> destinations, bool isMain) {
  auto terminator = dyn_cast<func::ReturnOp>(func.front().getTerminator());
  if (!terminator || destinations.size() != terminator.getNumOperands())
    return;
  OpBuilder builder(terminator);
  for (auto [operand, destination] : llvm::zip(terminator->getOpOperands(), destinations)) {
    bool isRead = !destination.use_empty();
    if (isMain && !isRead)
      writeInPlace(operand.get(), destination);
    // If the value is already in the destination, insert no copy, because bufferization would not recognise a copy
    // through reshapes as redundant.
    Value source = writtenTo(operand.get());
    if (source == destination)
      continue;
    // A state must not be written while it is read. Its next value is computed in another tensor, which is copied to
    // the state at the end of the call. Use alloc_tensor for this tensor, so that no pass replaces it by the state.
    if (auto empty = source.getDefiningOp<tensor::EmptyOp>(); empty && isMain && isRead) {
      OpBuilder apart(empty);
      Value place = bufferization::AllocTensorOp::create(apart, empty.getLoc(), empty.getType(), ValueRange());
      empty.replaceAllUsesWith(place);
      empty.erase();
    }
    // A kernel may compute a result in a tensor of its own. If the types are equal and the kernel does not use the
    // destination otherwise, replace this tensor by the destination.
    auto empty = source.getDefiningOp<tensor::EmptyOp>();
    if (!isMain && empty && empty->hasOneUse() && empty.getType() == destination.getType() &&
        destination.use_empty()) {
      empty.getResult().replaceAllUsesWith(destination);
      empty.erase();
      continue;
    }
    operand.set(bufferization::MaterializeInDestinationOp::create(
                    builder, terminator.getLoc(), destination.getType(), operand.get(), destination)
                    .getResult());
  }
}

namespace {
struct BindResults : heddle::impl::BindResultsBase<BindResults> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isExternal() || !func.getBody().hasOneBlock())
        continue;
      bool isMain = func.isPublic();
      FailureOr<SmallVector<Value>> destinations = isMain ? addDestinations(func) : findDestinations(func);
      if (failed(destinations))
        return signalPassFailure();
      bind(func, *destinations, isMain);
    }
  }
};
} // namespace
