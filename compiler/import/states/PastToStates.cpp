//===- PastToStates.cpp - turns a past of any length into states ----------===//

#include "PastToStates.h"

#include "PastValues.h"
#include "SimplifyReshapes.h"

#include "sizes/EmitSizes.h"
#include "sizes/SizeScope.h"

#include "Heddle.h"
#include "Notes.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Converts one module. The functions emit an error if they fail.
class PastToStates {
public:
  PastToStates(ModuleOp module, const Dim &capacity, std::optional<Dim> rows);
  LogicalResult run();

private:
  LogicalResult findStates();
  /// Replaces one operation if it depends on the past.
  LogicalResult convert(Operation *op);
  /// Replaces a concatenation of a past and new rows by heddle.append.
  LogicalResult append(tensor::ConcatOp concat, BlockArgument state);
  /// Replaces an attention operation. If its keys are a past with new rows, the replacement has key lengths, which
  /// exclude the rows of the state that are not filled.
  LogicalResult attend(AttentionOp attention);
  LogicalResult keepRows(LayerOpInterface layer);
  Value forScores(AttentionOp attention, Value value, ImplicitLocOpBuilder &b);
  /// Replaces the outputs, and annotates the inputs and outputs that are states.
  LogicalResult returnResults(func::ReturnOp op);
  LogicalResult finish();
  bool isState(BlockArgument argument) const { return llvm::is_contained(llvm::make_second_range(appends), argument); }

  ModuleOp module;
  func::FuncOp main;
  PastSizes sizes;
  std::optional<Dim> wanted; // the required number of new positions; not set if any number is allowed
  // The concatenations of a past and new rows, each with the argument that is the past.
  llvm::MapVector<Operation *, BlockArgument> appends;
  std::optional<Sequences> sequences; // set by run()
  std::optional<PastValues> values;   // set by run()
  Value keyLengths; // [batch], the number of past and new rows of each sequence
};
} // namespace

PastToStates::PastToStates(ModuleOp module, const Dim &capacity, std::optional<Dim> rows)
    : module(module), main(module.lookupSymbol<func::FuncOp>("main")), wanted(std::move(rows)) {
  ArrayRef<ScopedSize> all = SizeScope::current()->all();
  sizes.past = unsigned(all.size()) - 1;
  sizes.name = all.back().name;
  sizes.capacity = capacity;
  sizes.lengths = notes::statePast.argumentOf(main);
}

/// Finds the outputs that consist of an input with new rows appended to it. Emits an error if there are none, if such
/// an input is not [batch, heads, positions, size], has other readers or occurs in two outputs, if the numbers of new
/// rows differ from each other or from `wanted`, or if any other input has an extent that depends on the past.
LogicalResult PastToStates::findStates() {
  Operation *end = main.front().getTerminator();
  for (Value result : end->getOperands()) {
    auto concat = result.getDefiningOp<tensor::ConcatOp>();
    if (!concat || concat.getInputs().size() != 2 || concat.getDim() != 2)
      continue;
    auto past = dyn_cast<BlockArgument>(concat.getInputs()[0]);
    if (past && sizes.has(past.getType()))
      appends.insert({concat, past});
  }
  for (BlockArgument argument : main.getArguments()) {
    if (!sizes.has(argument.getType()))
      continue;
    auto error = [&] {
      return emitError(main.getLoc()) << "--state: input '" << *notes::name.get(main, argument.getArgNumber()) << "' ";
    };
    auto type = cast<RankedTensorType>(argument.getType());
    auto isPast = [&](int64_t extent) { return dimOf(extent).asExpression() == SizeExpression::size(sizes.past); };
    if (!isState(argument))
      return error() << "has a dimension that depends on the past, but no output appends new rows to this input";
    if (type.getRank() != 4 || !isPast(type.getDimSize(2)) ||
        llvm::count_if(type.getShape(), [&](int64_t extent) { return sizes.has(dimOf(extent)); }) != 1)
      return error() << "is a past with another shape than [batch, heads, positions, size]";
    for (Operation *user : argument.getUsers())
      if (!appends.count(user))
        return error() << "is also read by a node other than the Concat that appends new rows to it";
  }
  std::optional<Dim> rows = wanted;
  SmallVector<BlockArgument> taken;
  for (auto [op, past] : appends) {
    Dim own = dimOf(cast<RankedTensorType>(op->getOperand(1).getType()).getDimSize(2));
    if (rows && *rows != own)
      return emitError(main.getLoc()) << "--state: all outputs must append the same number of new rows, found "
                                      << rows->text() << " and " << own.text();
    rows = own;
    if (llvm::is_contained(taken, past))
      return emitError(main.getLoc()) << "--state: two outputs append new rows to the same input";
    taken.push_back(past);
  }
  if (appends.empty())
    return emitError(main.getLoc()) << "--state: no output appends new rows to an input";
  sizes.rows = *rows;
  return success();
}

LogicalResult PastToStates::append(tensor::ConcatOp concat, BlockArgument state) {
  std::optional<Value> rows = values->find(concat.getInputs()[1]);
  SequencePlace place = sequences->of(concat.getInputs()[1]);
  if (!rows || (!sequences->isOne() && !(place == SequencePlace{SequencePlace::Apart, 0, 1})) ||
      (sequences->isOne() && place.kind == SequencePlace::None))
    return values->refuse(concat) << "new rows do not belong to the sequence to which they are appended";
  // The argument keeps its type until `finish` erases the operations that read the argument as a past.
  std::optional<RankedTensorType> type = sizes.type(state.getType());
  OpBuilder b(concat);
  values->replace(
      concat.getResult(),
      AppendOp::create(b, concat.getLoc(), TypeRange{*type}, ValueRange{*rows, state, sizes.lengths}).getResult());
  return success();
}

/// Returns the replacement of `value`, which is the bias or the mask of an attention, or a tensor that a region of the
/// attention reads. The first dimension of the replacement indexes the sequences. Returns null after an error.
Value PastToStates::forScores(AttentionOp attention, Value value, ImplicitLocOpBuilder &b) {
  if (std::optional<Value> is = values->find(value)) {
    SequencePlace place = sequences->of(value);
    if (place.kind == SequencePlace::None || sequences->isOne() || place == SequencePlace{SequencePlace::Apart, 0, 1})
      return *is;
    values->refuse(attention) << "the bias or the mask of attention has sequences in another dimension than the first";
    return {};
  }
  auto type = cast<RankedTensorType>(value.getType());
  int64_t batch = cast<RankedTensorType>(sizes.lengths.getType()).getDimSize(0), rank = type.getRank();
  if (rank == 4 && type.getDimSize(0) == batch)
    return values->align(value, 0, attention);
  Value all = values->prepend(value, attention);
  if (!all || rank == 3)
    return all;
  if (rank == 4)
    return tensor::CollapseShapeOp::create(b, all, ArrayRef<ReassociationIndices>{{0, 1}, {2}, {3}, {4}});
  SmallVector<int64_t> shape(cast<RankedTensorType>(all.getType()).getShape());
  shape.insert(shape.begin() + 1, size_t(3 - rank), 1);
  SmallVector<ReassociationIndices> groups = {{0}};
  for (int64_t dim = 1; dim <= 3 - rank; ++dim)
    groups.front().push_back(dim);
  for (int64_t dim = 4 - rank; dim < 4; ++dim)
    groups.push_back({dim});
  return tensor::ExpandShapeOp::create(b, type.clone(shape), all, groups);
}

LogicalResult PastToStates::attend(AttentionOp attention) {
  auto keys = cast<RankedTensorType>(attention.getKey().getType());
  Dim count = dimOf(keys.getDimSize(attention.getKeyLayout() == Layout::Bhsd ? 2 : 1));
  bool isPast = sizes.has(count);
  if (attention.getWithWeights())
    return values->refuse(attention)
           << "the attention probabilities of attention to a past must not be outputs or be read";
  if (isPast && (attention.getKeyLengths() ||
                 count.asExpression() != sizes.rows.asExpression() + SizeExpression::size(sizes.past)))
    return values->refuse(attention) << "attention to " << count.text()
                                     << " keys is not supported, only to the past and the new rows";
  ImplicitLocOpBuilder b(attention.getLoc(), attention);
  IRMapping mapping;
  for (Value value : {attention.getQuery(), attention.getKey(), attention.getValue()}) {
    std::optional<Value> is = values->find(value);
    if (!is)
      return values->refuse(attention) << "expected queries, keys and values that differ between sequences";
    mapping.map(value, *is);
  }
  SmallVector<Value> others(attention.getReads());
  others.push_back(attention.getBias());
  others.push_back(attention.getMask());
  for (Value value : others) {
    if (!value)
      continue;
    Value is = forScores(attention, value, b);
    if (!is)
      return failure();
    mapping.map(value, is);
  }
  auto copy = cast<AttentionOp>(b.clone(*attention, mapping));
  if (isPast)
    copy.getKeyLengthsMutable().assign(keyLengths);
  values->replace(attention.getResult(), copy.getResult());
  return success();
}

/// Converts a layer that computes each row independently of other rows, or only together with rows of the same
/// sequence.
LogicalResult PastToStates::keepRows(LayerOpInterface layer) {
  IRMapping mapping;
  for (Value value : layer->getOperands()) {
    std::optional<Value> is = values->find(value);
    if (!is)
      return values->refuse(layer) << "'" << layer->getName()
                                   << "' has an operand that depends on the past but belongs to no sequence";
    if (sizes.has(value.getType()))
      return values->refuse(layer) << "'" << layer->getName()
                                   << "' reads positions of the past, which is supported only for attention";
    mapping.map(value, *is);
  }
  OpBuilder b(layer);
  Operation *copy = b.clone(*layer, mapping);
  for (auto [result, by] : llvm::zip_equal(layer->getResults(), copy->getResults()))
    values->replace(result, by);
  return success();
}

LogicalResult PastToStates::convert(Operation *op) {
  if (auto state = appends.lookup(op))
    return append(cast<tensor::ConcatOp>(op), state);
  if (auto end = dyn_cast<func::ReturnOp>(op))
    return returnResults(end);
  if (op->getNumResults() == 0 || !isa<TensorType>(op->getResult(0).getType()) || !values->isConcerned(op))
    return success();
  SequencePlace place = sequences->of(op->getResult(0));
  if (place.kind == SequencePlace::None && !sequences->isOne()) {
    values->postpone(op);
    return success();
  }
  if (place.kind == SequencePlace::Mixed)
    return values->refuse(op)
           << "'" << op->getName()
           << "' depends on the past and may combine different sequences of the batch, which is not supported";
  if (auto attention = dyn_cast<AttentionOp>(op))
    return attend(attention);
  if (auto layer = dyn_cast<LayerOpInterface>(op))
    return keepRows(layer);
  Value by = values->rebuild(op, op);
  if (by)
    values->replace(op->getResult(0), by);
  return success(by != nullptr);
}

LogicalResult PastToStates::returnResults(func::ReturnOp op) {
  for (OpOperand &result : op->getOpOperands()) {
    unsigned i = result.getOperandNumber();
    std::optional<Value> is = values->find(result.get());
    BlockArgument state = appends.lookup(result.get().getDefiningOp());
    if (!is || (!state && sizes.has(result.get().getType())))
      return emitError(main.getLoc()) << "--state: output '" << notes::name.getOfResult(main, i).value_or("")
                                      << "' depends on the length of the past, but is not a state";
    result.set(*is);
    if (!state)
      continue;
    StringRef name = *notes::name.get(main, state.getArgNumber());
    notes::state.set(main, state.getArgNumber(), name);
    notes::state.setOfResult(main, i, name);
  }
  return success();
}

/// Erases the operations that are no longer used, and changes the types of the states. Emits an error if an operation
/// still depends on the length of the past.
LogicalResult PastToStates::finish() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(main.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
  for (auto [op, state] : appends) {
    unsigned i = state.getArgNumber();
    state.setType(*sizes.type(state.getType()));
    Strings dims = notes::dims.get(main, i).value_or(Strings(4, ""));
    dims[2] = "capacity";
    // The names are copied, because `set` replaces the attribute that owns them.
    SmallVector<std::string> kept(dims.begin(), dims.end());
    notes::dims.set(main, i, Strings(kept.begin(), kept.end()));
  }
  Operation *end = main.front().getTerminator();
  main.setFunctionType(FunctionType::get(main.getContext(), main.front().getArgumentTypes(), end->getOperandTypes()));
  WalkResult walked = main.walk([&](Operation *op) -> WalkResult {
    auto size = dyn_cast<SizeOp>(op);
    if (!(size && size.getName() == sizes.name) &&
        llvm::none_of(op->getResultTypes(), [&](Type type) { return sizes.has(type); }))
      return WalkResult::advance();
    return values->refuse(op) << "'" << op->getName()
                              << "' depends on the length of the past, which is not supported here";
  });
  return failure(walked.wasInterrupted());
}

LogicalResult PastToStates::run() {
  simplifyReshapes(main);
  if (failed(findStates()))
    return failure();
  auto lengths = cast<RankedTensorType>(sizes.lengths.getType());
  SmallVector<BlockArgument> inputs;
  Strings names = notes::dims.get(main, sizes.lengths.getArgNumber()).value_or(Strings{""});
  for (BlockArgument input : main.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    Strings own = notes::dims.get(main, input.getArgNumber()).value_or(Strings());
    StringRef first = own.empty() ? StringRef() : own.front();
    if (isState(input) ||
        (type && type.getRank() > 0 && first == names.front() && type.getDimSize(0) == lengths.getDimSize(0)))
      inputs.push_back(input);
  }
  for (auto [op, past] : appends)
    if (cast<RankedTensorType>(past.getType()).getDimSize(0) != lengths.getDimSize(0))
      return emitError(main.getLoc()) << "--state: all pasts must have the same batch size, found "
                                      << dimOf(cast<RankedTensorType>(past.getType()).getDimSize(0)).text() << " and "
                                      << dimOf(lengths.getDimSize(0)).text();
  sequences.emplace(main, inputs, lengths.getDimSize(0));
  values.emplace(main, sizes, *sequences);
  auto b = ImplicitLocOpBuilder::atBlockBegin(main.getLoc(), &main.front());
  Value rows;
  if (std::optional<int64_t> number = sizes.rows.number())
    rows = arith::ConstantOp::create(b, DenseElementsAttr::get(lengths, *number));
  else
    rows = linalg::FillOp::create(
               b, arith::IndexCastOp::create(b, b.getI64Type(), emitSize(b, sizes.rows.asExpression())).getResult(),
               tensor::EmptyOp::create(b, lengths.getShape(), lengths.getElementType()).getResult())
               .getResult(0);
  keyLengths = arith::AddIOp::create(b, sizes.lengths, rows);
  SmallVector<Operation *> ops = llvm::map_to_vector(main.front(), [](Operation &op) { return &op; });
  for (Operation *op : ops)
    if (failed(convert(op)))
      return failure();
  return finish();
}

LogicalResult heddle::pastToStates(ModuleOp module, const Dim &capacity, std::optional<Dim> rows) {
  if (failed(PastToStates(module, capacity, std::move(rows)).run()))
    return failure();
  return verify(module);
}
