//===- OutlineKernels.cpp - outlines kernels from @main -------------------===//

#include "KernelGroups.h"
#include "heddle/Passes.h"

#include "Heddle.h"
#include "States.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "heddle/Passes.h.inc"
} // namespace heddle

/// Returns the type with which a value of type `type` crosses function boundaries. A boolean takes one byte there,
/// since a vector<i1> in memory would be packed bits.
static Type getBoundaryType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getElementType().isInteger(1))
    return type;
  return tensor.clone(IntegerType::get(type.getContext(), 8));
}

/// Converts `value` to `type`, element by element: from i1 to i8 or from i8 to i1. Returns `value` if it has this type.
static Value convertBool(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  auto tensor = cast<RankedTensorType>(type);
  Value empty = tensor::EmptyOp::create(builder, loc, tensor.getShape(), tensor.getElementType());
  SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(tensor.getRank()));
  SmallVector<utils::IteratorType> iterators(tensor.getRank(), utils::IteratorType::parallel);
  auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
    Value result;
    if (tensor.getElementType().isInteger(1)) {
      Value zero = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(0));
      result = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, args[0], zero);
    } else {
      result = arith::ExtUIOp::create(b, loc, tensor.getElementType(), args[0]);
    }
    linalg::YieldOp::create(b, loc, result);
  };
  return linalg::GenericOp::create(builder, loc, tensor, value, empty, maps, iterators, body).getResult(0);
}

/// Returns the elements of a boolean constant as bytes; null for any other operation.
static DenseElementsAttr getBytes(Operation *op) {
  auto constant = dyn_cast_or_null<arith::ConstantOp>(op);
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  if (!elements || !elements.getElementType().isInteger(1))
    return {};
  SmallVector<int8_t> bytes;
  if (elements.isSplat())
    bytes.push_back(elements.getSplatValue<bool>());
  else
    llvm::append_range(bytes, elements.getValues<bool>());
  return DenseElementsAttr::get(cast<ShapedType>(getBoundaryType(constant.getType())), ArrayRef(bytes));
}

/// Emits in a kernel a boolean constant that is stored as bytes, and its conversion to i1. Returns null if `op` is not
/// a boolean constant or if all elements of the constant are equal.
static Value cloneBoolConstant(OpBuilder &kernel, Operation *op) {
  DenseElementsAttr bytes = getBytes(op);
  if (!bytes || bytes.isSplat())
    return {};
  Value stored = arith::ConstantOp::create(kernel, op->getLoc(), bytes);
  return convertBool(kernel, op->getLoc(), stored, op->getResult(0).getType());
}

namespace {

/// Builds the new @main and its kernels, one group of operations (see KernelGroups.h) at a time. A group is denoted by
/// its index in `groups`.
class Outliner {
public:
  Outliner(ModuleOp module, func::FuncOp main)
      : module(module), main(main), groups(main.front()), builder(module.getContext()) {}

  func::FuncOp run();

private:
  /// Returns the value in the new @main for `value` of the old @main.
  Value get(Value value);
  /// Emits the kernel of the group and its call in the new @main, once.
  void emitCall(unsigned group);
  /// Returns the states that the group updates in the caller's memory.
  SmallVector<StateUpdate> getUpdates(unsigned group) const;
  /// Builds the kernel that computes `outputs` from `inputs` (both are values of the old @main).
  func::FuncOp buildKernel(unsigned group, ArrayRef<Value> inputs, ArrayRef<Value> outputs,
                           ArrayRef<StateUpdate> updates);
  /// Adds to `inputs` the values that the group's kernel needs as arguments so that `value` is available inside.
  void collectInputs(unsigned group, Value value, llvm::SetVector<Value> &inputs) const;
  /// Clones `value`, and whatever defines it, into a kernel. `mapping` maps values of the old @main to the kernel's.
  Value cloneInto(OpBuilder &kernel, IRMapping &mapping, Value value);

  ModuleOp module;
  func::FuncOp main; // the old @main
  KernelGroups groups;
  OpBuilder builder;
  IRMapping mapping;                // from values of the old @main to values of the new @main
  llvm::DenseSet<unsigned> emitted; // the groups whose calls were emitted
};

} // namespace

/// Adds the inputs that a kernel needs so that `value` is available inside.
void Outliner::collectInputs(unsigned group, Value value, llvm::SetVector<Value> &inputs) const {
  Operation *op = value.getDefiningOp();
  if (op && groups.lookup(op) == group)
    return;
  Operation *source = getViewSource(value).getDefiningOp();
  bool ownView = source && groups.lookup(source) == group;
  bool cloned = op && !groups.lookup(op) && (ownView || isClonedIntoKernels(value) || isSliced(value));
  if (!cloned) {
    inputs.insert(value);
    return;
  }
  for (Value input : getInputs(op))
    collectInputs(group, input, inputs);
}

Value Outliner::cloneInto(OpBuilder &kernel, IRMapping &kernelMapping, Value value) {
  if (Value known = kernelMapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (Value constant = cloneBoolConstant(kernel, op)) {
    kernelMapping.map(value, constant);
    return constant;
  }
  for (Value input : getInputs(op))
    cloneInto(kernel, kernelMapping, input);
  kernel.clone(*op, kernelMapping);
  return kernelMapping.lookup(value);
}

SmallVector<StateUpdate> Outliner::getUpdates(unsigned group) const {
  SmallVector<StateUpdate> updates;
  for (Operation *op : groups.getGroups()[group].ops)
    for (const StateUpdate &update : getStateUpdates(op)) {
      BlockArgument state = updatedArgument(update.after);
      // If the group also reads the state in another operation, the state is passed as an input, and the kernel must
      // not write it at the same time.
      if (state && notes::state.has(main, state.getArgNumber()) && !update.after.use_empty() &&
          llvm::count_if(update.before->get().getUses(), [&](OpOperand &use) {
            return groups.lookup(use.getOwner()) == group;
          }) == 1)
        updates.push_back(update);
    }
  return updates;
}

func::FuncOp Outliner::buildKernel(unsigned group, ArrayRef<Value> inputs, ArrayRef<Value> outputs,
                                   ArrayRef<StateUpdate> updates) {
  SmallVector<Type> argTypes, resultTypes;
  for (Value input : inputs)
    argTypes.push_back(getBoundaryType(input.getType()));
  for (Value output : outputs)
    resultTypes.push_back(getBoundaryType(output.getType()));
  llvm::append_range(argTypes, resultTypes);

  ArrayRef<Operation *> ops = groups.getGroups()[group].ops;
  OpBuilder kernel(main);
  auto func = func::FuncOp::create(kernel, ops.back()->getLoc(), "k" + std::to_string(group),
                                   kernel.getFunctionType(argTypes, resultTypes));
  func.setPrivate();
  notes::kernel.set(func);
  for (unsigned i = 0, e = argTypes.size(); i < e; ++i)
    func.setArgAttr(i, bufferization::BufferizationDialect::kWritableAttrName,
                    kernel.getBoolAttr(i >= inputs.size()));

  kernel.setInsertionPointToStart(func.addEntryBlock());
  IRMapping kernelMapping;
  for (auto [input, arg] : llvm::zip(inputs, func.getArguments()))
    kernelMapping.map(input, convertBool(kernel, func.getLoc(), arg, input.getType()));
  for (const StateUpdate &update : updates) // the destination contains the state before the update
    kernelMapping.map(update.before->get(),
                      func.getArgument(inputs.size() + (llvm::find(outputs, update.after) - outputs.begin())));
  for (Operation *op : ops) {
    for (Value input : getInputs(op))
      cloneInto(kernel, kernelMapping, input);
    kernel.clone(*op, kernelMapping);
  }
  SmallVector<Value> results;
  for (auto [output, type] : llvm::zip(outputs, resultTypes))
    results.push_back(convertBool(kernel, func.getLoc(), kernelMapping.lookup(output), type));
  func::ReturnOp::create(kernel, func.getLoc(), results);
  return func;
}

void Outliner::emitCall(unsigned group) {
  ArrayRef<Operation *> ops = groups.getGroups()[group].ops;
  if (ops.empty() || !emitted.insert(group).second)
    return;
  llvm::SetVector<Value> inputs, outputs;
  auto isInside = [&](Operation *op) { return groups.lookup(op) == group; };
  SmallVector<StateUpdate> updates = getUpdates(group);
  for (Operation *op : ops) {
    for (Value input : getInputs(op))
      if (llvm::none_of(updates, [&](const StateUpdate &update) { return update.before->get() == input; }))
        collectInputs(group, input, inputs);
    for (Value result : op->getResults())
      for (Operation *user : result.getUsers())
        if (Operation *ancestor = main.front().findAncestorOpInBlock(*user); !ancestor || !isInside(ancestor))
          outputs.insert(result);
  }
  if (outputs.empty())
    return;

  func::FuncOp kernel = buildKernel(group, inputs.getArrayRef(), outputs.getArrayRef(), updates);
  SmallVector<Value> operands;
  for (Value input : inputs)
    operands.push_back(get(input));
  for (auto [output, type] : llvm::zip_equal(outputs, kernel.getResultTypes()))
    if (const auto *update =
            llvm::find_if(updates, [after = output](const StateUpdate &one) { return one.after == after; });
        update != updates.end())
      operands.push_back(get(update->before->get()));
    else
      operands.push_back(tensor::EmptyOp::create(builder, kernel.getLoc(), cast<RankedTensorType>(type).getShape(),
                                                 cast<RankedTensorType>(type).getElementType()));
  auto call = func::CallOp::create(builder, kernel.getLoc(), kernel, operands);
  for (auto [output, result] : llvm::zip(outputs, call.getResults()))
    mapping.map(output, result);
}

Value Outliner::get(Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (std::optional<unsigned> group = groups.lookup(op)) {
    emitCall(*group);
    return mapping.lookup(value);
  }
  if (DenseElementsAttr bytes = getBytes(op)) {
    Value constant = arith::ConstantOp::create(builder, op->getLoc(), bytes);
    mapping.map(value, constant);
    return constant;
  }
  for (Value input : getInputs(op))
    get(input);
  Operation *copy = builder.clone(*op, mapping);
  if (isa<WeightOp>(op) && getBoundaryType(value.getType()) != value.getType())
    notes::booleanWeight.set(copy); // records how the weight is stored
  for (auto [old, result] : llvm::zip(op->getResults(), copy->getResults())) {
    // A view or weight of booleans has bytes in the new @main.
    if (getKernelRole(op) == KernelRole::View || isa<WeightOp>(op))
      result.setType(getBoundaryType(old.getType()));
    mapping.map(old, result);
  }
  return mapping.lookup(value);
}

func::FuncOp Outliner::run() {
  SmallVector<Type> inputs, results;
  for (Type type : main.getArgumentTypes())
    inputs.push_back(getBoundaryType(type));
  for (Type type : main.getResultTypes())
    results.push_back(getBoundaryType(type));
  builder.setInsertionPoint(main);
  auto newMain =
      func::FuncOp::create(builder, main.getLoc(), main.getName(), builder.getFunctionType(inputs, results));
  newMain->setAttrs(main->getAttrDictionary());
  newMain.setFunctionType(builder.getFunctionType(inputs, results));
  builder.setInsertionPointToStart(newMain.addEntryBlock());
  for (auto [old, arg] : llvm::zip(main.getArguments(), newMain.getArguments())) {
    mapping.map(old, arg);
    newMain.setArgAttr(arg.getArgNumber(), bufferization::BufferizationDialect::kWritableAttrName,
                       builder.getBoolAttr(false));
    if (cast<TensorType>(old.getType()).getElementType().isInteger(1))
      notes::boolean.set(newMain, arg.getArgNumber());
  }
  for (unsigned i = 0, e = main.getNumResults(); i < e; ++i)
    if (cast<TensorType>(main.getResultTypes()[i]).getElementType().isInteger(1))
      notes::boolean.setOfResult(newMain, i);

  for (unsigned group = 0; group < groups.getGroups().size(); ++group)
    emitCall(group);
  SmallVector<Value> returned;
  Operation *terminator = main.front().getTerminator();
  for (Value value : terminator->getOperands())
    returned.push_back(
        convertBool(builder, terminator->getLoc(), get(value), getBoundaryType(value.getType())));
  func::ReturnOp::create(builder, terminator->getLoc(), returned);
  main.erase();
  return newMain;
}

static bool isEmpty(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && llvm::is_contained(tensor.getShape(), 0);
}

/// Checks that the inputs and results of @main have static shapes, and that every tensor in @main, except unused
/// inputs, has at least one element.
static LogicalResult checkShapes(func::FuncOp main) {
  for (Type type : llvm::concat<const Type>(main.getArgumentTypes(), main.getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      return main.emitError("expected tensors of static shape at the boundary of @main, found ") << type;
  }
  SmallVector<Value> values(main.front().getTerminator()->getOperands());
  llvm::copy_if(main.getArguments(), std::back_inserter(values), [](Value value) { return !value.use_empty(); });
  for (Operation &op : main.front())
    llvm::append_range(values, op.getResults());
  for (Value value : values)
    if (isEmpty(value.getType()))
      return emitError(value.getLoc(), "a tensor without elements cannot be compiled: ") << value.getType();
  return success();
}

namespace {
struct OutlineKernels : heddle::impl::OutlineKernelsBase<OutlineKernels> {
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main || main.isExternal() || !main.getBody().hasOneBlock()) {
      getOperation().emitError("expected a function @main with one block");
      return signalPassFailure();
    }
    if (failed(checkShapes(main)))
      return signalPassFailure();
    separateInsertions(main.front());
    Outliner(getOperation(), main).run();
  }
};
} // namespace
