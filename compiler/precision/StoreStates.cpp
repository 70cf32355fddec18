//===- StoreStates.cpp - states in fewer bytes ----------------------------===//

#include "heddle/LowPrecision.h"

#include "Heddle.h"
#include "Notes.h"
#include "States.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;

static constexpr StringRef stateFormatNames[] = {"f32", "bf16", "f16", "int8"};

std::string heddle::parseStatePrecision(StringRef text, StateFormat &format) {
  const StringRef *found = llvm::find(stateFormatNames, text);
  if (found == std::end(stateFormatNames))
    return "'" + text.str() + "' is not a type in which states can be stored; the types are " +
           llvm::join(ArrayRef(stateFormatNames), ", ");
  format = StateFormat(found - stateFormatNames);
  return "";
}

/// Returns the type of a state's elements in a format.
static Type elementOf(MLIRContext *context, StateFormat format) {
  switch (format) {
  case StateFormat::F32:
    return Float32Type::get(context);
  case StateFormat::BF16:
    return BFloat16Type::get(context);
  case StateFormat::F16:
    return Float16Type::get(context);
  case StateFormat::Int8:
    return IntegerType::get(context, 8);
  }
  llvm_unreachable("all formats are listed");
}

namespace {
/// Changes states, one after the other, to a new element type.
struct StateStore {
  StateStore(func::FuncOp main, Type element)
      : main(main), terminator(main.front().getTerminator()), element(element), b(main.getContext()) {}

  /// Changes the state with this name, and all operations that read or append its rows.
  void store(StringRef name);

private:
  /// Adds an argument and a result for the scales of the state's rows. They are inserted after argument number
  /// `argument` and result number `result`.
  BlockArgument addScales(StringRef name, RankedTensorType type, unsigned argument, unsigned result);
  /// Returns the stored rows as floats of `type`. `scales` is null if the state has none.
  Value widened(Value rows, Value scales, Type type);

  func::FuncOp main;
  Operation *terminator;
  Type element;
  OpBuilder b;
};
} // namespace

// The numbers of the argument and of the result for the state with this name, which must exist.
static unsigned argumentOf(func::FuncOp main, StringRef name) {
  unsigned i = 0;
  while (notes::state.get(main, i) != name)
    ++i;
  return i;
}
static unsigned resultOf(func::FuncOp main, StringRef name) {
  unsigned i = 0;
  while (notes::state.getOfResult(main, i) != name)
    ++i;
  return i;
}

BlockArgument StateStore::addScales(StringRef name, RankedTensorType type, unsigned argument, unsigned result) {
  std::string scales = (name + ".scale").str();
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = 1;
  auto of = RankedTensorType::get(shape, b.getF32Type());
  std::optional<Strings> dims = notes::dims.get(main, argument);
  // These calls do not fail: the type of a FuncOp may be any function type.
  (void)main.insertArgument(argument + 1, of, {}, main.getLoc());
  (void)main.insertResult(result + 1, of, {});
  terminator->insertOperands(result + 1, main.getArgument(argument + 1));
  notes::name.set(main, argument + 1, scales);
  notes::name.setOfResult(main, result + 1, scales);
  notes::state.set(main, argument + 1, scales);
  notes::state.setOfResult(main, result + 1, scales);
  if (dims) {
    dims->back() = "";
    notes::dims.set(main, argument + 1, *dims);
  }
  return main.getArgument(argument + 1);
}

Value StateStore::widened(Value rows, Value scales, Type type) {
  if (!scales)
    return DequantizeOp::create(b, rows.getLoc(), type, rows);
  SmallVector<int64_t> row(cast<RankedTensorType>(type).getRank(), 1);
  row.back() = cast<RankedTensorType>(type).getShape().back();
  return DequantizeOp::create(b, rows.getLoc(), type, rows, scales, Value(), Value(), Value(), row,
                              ArrayRef<int64_t>());
}

void StateStore::store(StringRef name) {
  unsigned argument = argumentOf(main, name), result = resultOf(main, name);
  BlockArgument state = main.getArgument(argument);
  auto type = cast<RankedTensorType>(state.getType());
  SmallVector<AppendOp> appends; // in reverse order
  for (Value after = terminator->getOperand(result); after != state; after = appends.back().getState())
    appends.push_back(after.getDefiningOp<AppendOp>());
  Value rows = state, scales;
  if (isa<IntegerType>(element))
    scales = addScales(name, type, argument, result);
  state.setType(type.clone(element));
  b.setInsertionPointToStart(&main.front());
  Value wide = widened(rows, scales, type);
  rows.replaceAllUsesExcept(wide, wide.getDefiningOp());
  for (AppendOp append : llvm::reverse(appends)) {
    b.setInsertionPoint(append);
    auto narrow = AppendOp::create(b, append.getLoc(), rows.getType(), scales ? scales.getType() : Type(),
                                   append.getInput(), rows, append.getPast(), scales);
    rows = narrow.getResult();
    scales = narrow.getLastScales();
    Operation *before = wide.getDefiningOp();
    wide = widened(rows, scales, type);
    append.getResult().replaceAllUsesWith(wide);
    append.erase();
    if (before->use_empty()) // usually all readers of a state also read the appended rows
      before->erase();
  }
  terminator->setOperand(result, rows);
  if (scales)
    terminator->setOperand(result + 1, scales);
  if (wide.use_empty())
    wide.getDefiningOp()->erase();
  main.setFunctionType(b.getFunctionType(main.front().getArgumentTypes(), terminator->getOperandTypes()));
}

/// Returns whether calls of the model only append rows to the state and never replace it.
static bool isOfRows(func::FuncOp main, const State &state) {
  Value after = main.front().getTerminator()->getOperand(state.result);
  while (auto append = after.getDefiningOp<AppendOp>())
    after = append.getState();
  return after == main.getArgument(state.argument) && !state.isReplaced;
}

LogicalResult heddle::storeStateRows(ModuleOp module, StateFormat format) {
  auto main = mainOf(module);
  FailureOr<States> states = readStates(main);
  if (failed(states))
    return failure();
  StringRef wanted = stateFormatNames[size_t(format)];
  if (states->empty())
    return module.emitError() << "state precision " << wanted << ": the model keeps no states from call to call";
  Type element = elementOf(module.getContext(), format);
  SmallVector<std::string> names;
  for (const State &state : states->all) {
    if (llvm::any_of(states->all, [&](const State &other) {
          return other.scales && &states->all[*other.scales] == &state;
        }))
      continue; // the scales were stored together with their rows
    Type now = cast<RankedTensorType>(main.getArgumentTypes()[state.argument]).getElementType();
    auto refuse = [&] { return module.emitError() << "state precision " << wanted << ": state \"" << state.name << "\" "; };
    if (!isOfRows(main, state))
      return refuse() << "is replaced by each call: only states to which calls append rows, such as keys and values, "
                         "can be stored in another type";
    if (now != element && !now.isF32())
      return refuse() << "has elements of " << now << ": only states of f32 can be stored in another type";
    if (now != element)
      names.push_back(state.name.str());
  }
  StateStore store(main, element);
  for (StringRef name : names)
    store.store(name);
  return success();
}
