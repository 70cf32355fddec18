//===- NarrowResults.cpp - stores results in a narrower type --------------===//
//
// If a layer's f32 result is read only by layers that round it to bf16 (or to another type of the option `types`), the
// pass heddle-narrow-results stores the result in this type. The result is then rounded once, while it is in registers,
// which does not change any bit of later results. On devices, a kernel that only converts the result is such a reader,
// too. The layer then writes what this kernel would write, and the kernel is removed.
//
//===----------------------------------------------------------------------===//

#include "ForProducts.h"
#include "Truncation.h"

#include "heddle/Passes.h"

#include "Heddle.h"
#include "Notes.h"
#include "ops/TensorViews.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_NARROWRESULTS
#include "heddle/Passes.h.inc"
} // namespace heddle

using namespace heddle;

/// Returns `type` with elements of type `element`.
static Type narrowed(Type type, Type element) { return cast<RankedTensorType>(type).clone(element); }

/// Returns the index of the argument that is the destination of a result.
static unsigned placeOf(func::FuncOp kernel, unsigned result) {
  return kernel.getNumArguments() - kernel.getNumResults() + result;
}

/// If the argument is f32, and all its uses are inputs of layers that round all columns to one float type, returns this
/// type; else null. With `inPairs`, the argument must have an even number of columns, so that dot products of pairs
/// have no remainder.
static Type findRounding(BlockArgument argument, bool inPairs) {
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  if (!type || !type.getElementType().isF32() || type.getRank() == 0 || (inPairs && type.getShape().back() % 2 != 0))
    return {};
  Type rounded;
  for (OpOperand &use : argument.getUses()) {
    auto layer = dyn_cast<LinearOp>(use.getOwner());
    std::optional<RowRoundingAttr> rounding = layer ? layer.getRounding() : std::nullopt;
    if (!rounding || use.getOperandNumber() != layer.getInputMutable().getOperandNumber() || rounding->isInteger() ||
        !rounding->getOutliers().empty() || (rounded && rounded != rounding->getElement()))
      return {};
    rounded = rounding->getElement();
  }
  return rounded;
}

/// If the kernel does nothing but convert its only input from f32 to a narrower type, returns this type; else null.
static Type findConversion(func::FuncOp kernel) {
  if (kernel.getNumResults() != 1 || kernel.getNumArguments() != 2 || !kernel.getArgument(0).hasOneUse())
    return {};
  auto generic = kernel.front().getTerminator()->getOperand(0).getDefiningOp<linalg::GenericOp>();
  arith::TruncFOp conversion = matchTruncation(generic);
  bool isWhole = conversion && generic.getDpsInputs()[0] == kernel.getArgument(0);
  return isWhole && getElementTypeOrSelf(kernel.getArgument(0)).isF32() ? conversion.getType() : Type();
}

/// Returns the value that `value` is a reshape of.
static Value sourceOf(Value value) {
  while (auto *view = value.getDefiningOp()) {
    if (!isReshape(view))
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
  bool isAllowed(Type type);
  Operation *findLayer(func::FuncOp kernel, unsigned number);
  void findCandidates(func::FuncOp kernel);
  Type findReadType(Value value);
  Type findReadType(Place result);
  bool isWrittenAs(Place argument, Type type);
  void narrowView(Value value, Type type);
  void narrowResult(Place place, Type type);
  void narrowArgument(Place place, Type type);
  void removeCalls(func::FuncOp converter);

  llvm::DenseMap<func::FuncOp, SmallVector<func::CallOp>> calls; // the calls of each kernel
  llvm::MapVector<Place, Type> results, arguments;               // candidates, and their narrow types
  llvm::MapVector<func::FuncOp, Type> converters;                // kernels that only convert, and to which type
};
} // namespace

/// Returns whether results may be stored in this type.
bool NarrowResults::isAllowed(Type type) {
  return type && (types.empty() ? type.isBF16() : llvm::is_contained(types, debugString(type)));
}

/// Returns the layer that computes result `number` of a kernel if its lowering can round the result while it is in
/// registers: the layer is a linear layer that rounds its own input or, with `conversions`, any linear or feed-forward
/// layer; the result is f32, and its only use is the return of the kernel. Returns null if there is no such layer.
Operation *NarrowResults::findLayer(func::FuncOp kernel, unsigned number) {
  Value result = kernel.front().getTerminator()->getOperand(number);
  Operation *layer = result.getDefiningOp();
  auto linear = dyn_cast_or_null<LinearOp>(layer);
  bool isRounding = linear && linear.getRounding();
  bool isLast = (isRounding || (conversions && isa_and_nonnull<LinearOp, FfnOp>(layer))) && result.hasOneUse() &&
                getElementTypeOrSelf(result.getType()).isF32();
  return isLast ? layer : nullptr;
}

/// Adds the results and arguments of a kernel that may become narrow.
void NarrowResults::findCandidates(func::FuncOp kernel) {
  for (unsigned i = 0; i < kernel.getNumResults(); ++i)
    if (findLayer(kernel, i) && kernel.getArgument(placeOf(kernel, i)).use_empty())
      results.insert({{kernel, i}, Type()});
  for (unsigned i = 0; i < placeOf(kernel, 0); ++i)
    if (Type type = findRounding(kernel.getArgument(i), /*inPairs=*/!conversions); isAllowed(type))
      arguments.insert({{kernel, i}, type});
  if (Type type = conversions ? findConversion(kernel) : Type(); isAllowed(type))
    converters.insert({kernel, type});
}

/// Returns the type to which all readers of `value`, possibly reshaped, round it; null if they do not agree.
Type NarrowResults::findReadType(Value value) {
  Type type;
  for (OpOperand &use : value.getUses()) {
    Type read;
    if (isReshape(use.getOwner()))
      read = findReadType(use.getOwner()->getResult(0));
    else if (auto call = dyn_cast<func::CallOp>(use.getOwner()))
      read = converters.contains(kernelOf(call)) && use.getOperandNumber() == 0
                 ? converters.lookup(kernelOf(call))
                 : arguments.lookup({kernelOf(call), use.getOperandNumber()});
    if (!read || (type && type != read))
      return {};
    type = read;
  }
  return type;
}

/// Returns the type to which the readers of this result round it in every call; null if they do not agree, or if a call
/// does not write the result into an empty tensor without other uses.
Type NarrowResults::findReadType(Place result) {
  auto [kernel, number] = result;
  Type type;
  for (func::CallOp call : calls[kernel]) {
    auto empty = call.getOperand(placeOf(kernel, number)).getDefiningOp<tensor::EmptyOp>();
    Type read = empty && empty->hasOneUse() ? findReadType(call.getResult(number)) : Type();
    if (!read || (type && type != read))
      return {};
    type = read;
  }
  return type;
}

/// Returns whether every call passes, as this argument, a kernel's result that is to be stored in this type, possibly
/// reshaped.
bool NarrowResults::isWrittenAs(Place argument, Type type) {
  auto [kernel, number] = argument;
  return llvm::all_of(calls[kernel], [&, number = number](func::CallOp call) {
    auto source = dyn_cast<OpResult>(sourceOf(call.getOperand(number)));
    auto maker = source ? dyn_cast<func::CallOp>(source.getOwner()) : func::CallOp();
    return maker && results.lookup({kernelOf(maker), source.getResultNumber()}) == type;
  });
}

/// Changes the element type of `value`, and of its reshapes.
void NarrowResults::narrowView(Value value, Type type) {
  value.setType(narrowed(value.getType(), type));
  for (Operation *user : value.getUsers())
    if (isReshape(user))
      narrowView(user->getResult(0), type);
}

/// Changes the type of the result, and inserts its rounding after the layer. Dot products of CPUs flush denormal bf16
/// inputs to zero, so the rounding for them may do so, too. Products of devices do not flush them.
void NarrowResults::narrowResult(Place place, Type element) {
  auto [kernel, number] = place;
  Operation *end = kernel.front().getTerminator();
  Value wide = end->getOperand(number);
  OpBuilder b(end);
  Location loc = wide.getLoc();
  auto type = cast<RankedTensorType>(narrowed(wide.getType(), element));
  bool mayFlush = element.isBF16() && !conversions;
  Value empty = tensor::EmptyOp::create(b, loc, type.getShape(), element);
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  auto rounded = linalg::GenericOp::create(
      b, loc, type, wide, empty, maps, iterators, [&](OpBuilder &body, Location loc, ValueRange elements) {
        Value narrow = mayFlush ? emitForProducts(body, loc, elements[0], element)
                                    : arith::TruncFOp::create(body, loc, element, elements[0]);
        linalg::YieldOp::create(body, loc, narrow);
      });
  end->setOperand(number, rounded.getResult(0));
  unsigned out = placeOf(kernel, number);
  kernel.getArgument(out).setType(type);
  SmallVector<Type> inputs(kernel.getArgumentTypes()), yielded(kernel.getResultTypes());
  inputs[out] = yielded[number] = type;
  kernel.setFunctionType(b.getFunctionType(inputs, yielded));
  for (func::CallOp call : calls[kernel]) {
    Value destination = call.getOperand(out);
    destination.setType(narrowed(destination.getType(), element));
    narrowView(call.getResult(number), element);
  }
}

/// Changes the type of the argument, and widens it inside the kernel.
void NarrowResults::narrowArgument(Place place, Type element) {
  auto [kernel, number] = place;
  BlockArgument argument = kernel.getArgument(number);
  Type wide = argument.getType();
  argument.setType(narrowed(wide, element));
  auto b = OpBuilder::atBlockBegin(&kernel.front());
  auto read = DequantizeOp::create(b, argument.getLoc(), wide, argument);
  argument.replaceAllUsesExcept(read.getResult(), read);
  SmallVector<Type> inputs(kernel.getArgumentTypes());
  inputs[number] = argument.getType();
  kernel.setFunctionType(b.getFunctionType(inputs, kernel.getResultTypes()));
}

/// Removes the calls of `converter`, a kernel that only converts, whose argument has become narrow: the argument
/// replaces the result. Removes the kernel, too, if no call is left.
void NarrowResults::removeCalls(func::FuncOp converter) {
  unsigned left = 0;
  for (func::CallOp call : calls[converter]) {
    if (call.getOperand(0).getType() != call.getResult(0).getType()) {
      ++left;
      continue;
    }
    Operation *destination = call.getOperand(1).getDefiningOp();
    call.getResult(0).replaceAllUsesWith(call.getOperand(0));
    call.erase();
    if (destination && isOpTriviallyDead(destination))
      destination->erase();
  }
  if (left == 0)
    converter.erase();
}

void NarrowResults::runOnOperation() {
  calls.clear();
  results.clear();
  arguments.clear();
  converters.clear();
  getOperation().walk([&](func::CallOp call) {
    if (func::FuncOp kernel = kernelOf(call))
      calls[kernel].push_back(call);
  });
  for (auto kernel : getOperation().getOps<func::FuncOp>())
    if (calls.contains(kernel) && !kernel.isDeclaration() && kernel.getNumArguments() >= kernel.getNumResults())
      findCandidates(kernel);
  for (size_t before = 0, left = results.size() + arguments.size(); left != before;) {
    before = left;
    for (auto &[place, type] : results)
      type = findReadType(place);
    results.remove_if([](const auto &entry) { return !entry.second; });
    arguments.remove_if([&](const auto &entry) { return !isWrittenAs(entry.first, entry.second); });
    left = results.size() + arguments.size();
  }
  for (auto [place, type] : results)
    narrowResult(place, type);
  for (auto [place, type] : arguments)
    narrowArgument(place, type);
  for (auto [converter, type] : converters)
    removeCalls(converter);
}
