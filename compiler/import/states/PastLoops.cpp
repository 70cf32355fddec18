//===- PastLoops.cpp - linalg operations that depend on the past ----------===//
//
// Replaces linalg operations that depend on the length of the past. In the
// original operation, this length is the same for all sequences; in the
// replacement, each sequence has its own.
//
//===----------------------------------------------------------------------===//

#include "PastValues.h"

#include "sizes/EmitSizes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace heddle;

/// If `init` is a fill or an empty tensor, creates the same operation with the given type. Returns null for all other
/// values.
static Value beginAs(Value init, RankedTensorType type, ImplicitLocOpBuilder &b) {
  auto fill = init.getDefiningOp<linalg::FillOp>();
  if (!fill && !init.getDefiningOp<tensor::EmptyOp>())
    return {};
  Value empty = tensor::EmptyOp::create(b, type.getShape(), type.getElementType());
  return fill ? linalg::FillOp::create(b, fill.getInputs()[0], empty).getResult(0) : empty;
}

/// Clamps the indices of a lookup to its table, because rows of a state that are not filled may contain any index.
static void keepInTable(tensor::ExtractOp op) {
  auto table = cast<RankedTensorType>(op.getTensor().getType());
  OpBuilder b(op);
  Location loc = op.getLoc();
  for (auto [index, extent] : llvm::zip_equal(op.getIndicesMutable(), table.getShape())) {
    if (matchPattern(index.get(), m_Constant()))
      continue;
    Value last = emitSize(b, loc, dimOf(extent).asExpression() - 1), first = arith::ConstantIndexOp::create(b, loc, 0);
    Value minimum = arith::MinSIOp::create(b, loc, index.get(), last);
    index.set(arith::MaxSIOp::create(b, loc, minimum, first));
  }
}

/// Builds the replacement of one linalg operation in a given form (PastValues::Form).
class PastValues::Loops {
public:
  Loops(PastValues &values, linalg::LinalgOp op, Form form, RankedTensorType type, Builder &b);
  /// Whether the operation can be replaced. Emits an error if it cannot.
  bool check();
  /// Returns the result of the replacement; null after an error.
  Value build();

private:
  InFlightDiagnostic refuse() { return values.refuse(op) << "'" << op->getName() << "' "; }
  /// Whether the loops of the operation must change, and not only its operands.
  bool needsNewLoops() const;
  /// Copies the operation with its loops and replaces its operands; returns null after an error.
  Value clone();
  /// Adds the inputs of the new operation. Emits an error and returns false if an input is not supported.
  bool addInputs();
  /// Adds an input that is indexed by `exprs`.
  void add(Value input, ArrayRef<AffineExpr> exprs) {
    inputs.push_back(input);
    maps.push_back(AffineMap::get(count, 0, exprs, b.getContext()));
  }
  /// Returns the initial value of the new operation; null after an error.
  Value begin();
  /// The index map of an operand in the new operation. The new operation may have an additional first loop, which
  /// counts sequences.
  AffineMap moved(OpOperand *operand) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    return isPrepended ? map.shiftDims(1) : map;
  }
  /// Emits the body of the new operation, whose block arguments are `args`.
  void fillBody(OpBuilder &inner, ValueRange args);

  PastValues &values;
  linalg::LinalgOp op;
  Form form;
  RankedTensorType type; // the type of the replacement's result
  Builder &b;
  bool isPrepended; // whether the new operation has an additional first loop, which counts sequences
  unsigned count;   // the number of loops of the new operation
  OpOperand &init;  // the initial value of the original operation
  AffineExpr sequence;            // the loop over sequences
  llvm::SetVector<Value> outside; // values that the body uses and that are defined outside of it
  bool needsPast;                 // whether the body uses the length of the past as a scalar
  SmallVector<Value> inputs;      // the inputs of the new operation
  SmallVector<AffineMap> maps;    // the index maps of the inputs, followed by that of the result
};

PastValues::Loops::Loops(PastValues &values, linalg::LinalgOp op, Form form, RankedTensorType type, Builder &b)
    : values(values), op(op), form(form), type(type), b(b), isPrepended(form == prepended),
      count(op.getNumLoops() + isPrepended), init(*op.getDpsInitOperand(0)) {
  if (isPrepended)
    sequence = b.getAffineDimExpr(0);
  else if (form >= 0)
    sequence = op.getMatchingIndexingMap(&init).getResult(unsigned(form));
  getUsedValuesDefinedAbove(op->getRegions(), outside);
  needsPast = llvm::any_of(outside, [&](Value value) { return values.dependsOnPast(value); });
}

bool PastValues::Loops::check() {
  if (form >= 0 && !isa<AffineDimExpr>(sequence)) {
    refuse() << "has no separate loop over sequences";
    return false;
  }
  const PastSizes &sizes = values.sizes;
  for (auto [kind, extent] : llvm::zip_equal(op.getIteratorTypesArray(), op.getStaticLoopRanges()))
    if (kind != utils::IteratorType::parallel && sizes.has(dimOf(extent))) {
      refuse() << "combines the positions of the past; only recognised attention may do so";
      return false;
    }
  for (Value value : outside)
    if (isa<TensorType>(value.getType()) &&
        (values.isPostponed(value) || values.made.count({value, unchanged}) || sizes.has(value.getType()))) {
      values.refuse(op) << "a lookup that depends on the length of the past is not supported";
      return false;
    }
  return true;
}

bool PastValues::Loops::needsNewLoops() const {
  return needsPast || llvm::any_of(op->getOperands(), [&](Value value) {
           return values.dependsOnPast(value) || values.isPostponed(value);
         });
}

Value PastValues::Loops::clone() {
  IRMapping mapping;
  for (OpOperand *input : op.getDpsInputOperands())
    mapping.map(input->get(), *values.find(input->get()));
  Value start = type == init.get().getType() ? *values.find(init.get()) : beginAs(init.get(), type, b);
  if (!start) {
    refuse() << "has an initial value that is not supported for a past that is a state";
    return {};
  }
  mapping.map(init.get(), start);
  Operation *copy = b.clone(*op, mapping);
  copy->getResult(0).setType(type);
  if (values.sizes.has(op->getResult(0).getType()))
    copy->walk(keepInTable);
  return copy->getResult(0);
}

bool PastValues::Loops::addInputs() {
  for (OpOperand *input : op.getDpsInputOperands()) {
    Value value = input->get();
    // A scalar, such as the operand of a fill, does not become an input: the body uses or computes it (fillBody).
    if (values.dependsOnPast(value) || !isa<TensorType>(value.getType())) {
      needsPast |= values.dependsOnPast(value);
      continue;
    }
    AffineMap map = moved(input);
    if (!values.isPostponed(value)) { // the value has a dimension of sequences, or does not depend on sequences
      add(*values.find(value), map.getResults());
      continue;
    }
    ArrayRef<AffineExpr> results = op.getMatchingIndexingMap(input).getResults();
    const auto *found = form >= 0 ? llvm::find(results, sequence) : results.end();
    bool hasOwn = found != results.end();
    Form own = hasOwn ? Form(found - results.begin()) : form == unchanged ? unchanged : prepended;
    Value is = values.operand(op, value, own, b);
    if (!is)
      return false;
    SmallVector<AffineExpr> exprs(hasOwn ? 0 : 1, sequence);
    llvm::append_range(exprs, map.getResults());
    add(is, exprs);
  }
  if (!needsPast)
    return true;
  if (form == unchanged && !values.sequences.isOne()) {
    values.refuse(op) << "a value that depends on the past is combined with a tensor that has the sequences and other "
                         "indices in one dimension";
    return false;
  }
  auto [lengths, map] = values.lengthsFor(count, sequence, form, b);
  add(lengths, map.getResults());
  return true;
}

Value PastValues::Loops::begin() {
  if (!op.payloadUsesValueFromOperand(&init))
    return tensor::EmptyOp::create(b, type.getShape(), type.getElementType());
  Value start;
  if (!values.isPostponed(init.get()) || values.sizes.has(init.get().getType()))
    start = beginAs(init.get(), type, b);
  if (!start)
    refuse() << "has an initial value that is not supported for a past that is a state";
  return start;
}

void PastValues::Loops::fillBody(OpBuilder &inner, ValueRange args) {
  IRMapping mapping;
  Value past;
  if (needsPast)
    past = arith::IndexCastOp::create(inner, op.getLoc(), inner.getIndexType(), args[inputs.size() - 1]);
  unsigned next = 0;
  for (OpOperand *input : op.getDpsInputOperands()) {
    bool isScalar = !isa<TensorType>(input->get().getType());
    mapping.map(op.getMatchingBlockArgument(input),
                isScalar ? values.cloneScalar(input->get(), past, inner) : args[next++]);
  }
  mapping.map(op.getMatchingBlockArgument(&init), args.back());
  for (Value value : outside)
    if (values.dependsOnPast(value))
      mapping.map(value, values.cloneScalar(value, past, inner));
  for (Operation &each : *op.getBlock()) {
    Operation *copy = inner.clone(each, mapping);
    if (auto index = dyn_cast<linalg::IndexOp>(copy); index && isPrepended)
      index.setDim(index.getDim() + 1);
    if (values.sizes.has(op->getResult(0).getType()))
      copy->walk(keepInTable);
  }
}

Value PastValues::Loops::build() {
  if (!isPrepended && !needsNewLoops())
    return clone();
  if (!addInputs())
    return {};
  Value start = begin();
  if (!start)
    return {};
  SmallVector<AffineExpr> results(isPrepended ? 1 : 0, sequence);
  llvm::append_range(results, moved(&init).getResults());
  maps.push_back(AffineMap::get(count, 0, results, b.getContext()));
  SmallVector<utils::IteratorType> kinds(isPrepended ? 1 : 0, utils::IteratorType::parallel);
  llvm::append_range(kinds, op.getIteratorTypesArray());
  auto body = [&](OpBuilder &inner, Location, ValueRange args) { fillBody(inner, args); };
  return linalg::GenericOp::create(b, type, inputs, start, maps, kinds, body).getResult(0);
}

/// Replaces a broadcast of a tensor whose replacement was postponed (PastValues.h). Builds the tensor with a first
/// dimension that counts sequences, and broadcasts it. Returns nothing if the tensor was not postponed, or if the
/// dimension of sequences in the result does not come before all dimensions of the input. Returns null after an error.
std::optional<Value> PastValues::buildBroadcast(linalg::BroadcastOp op, Form form, RankedTensorType type, Builder &b) {
  SmallVector<int64_t> dims(op.getDimensions());
  auto isAdded = [&](int64_t dim) { return llvm::is_contained(dims, dim); };
  bool isFirst = form >= 0 && llvm::all_of(llvm::seq<int64_t>(0, int64_t(form) + 1), isAdded);
  if (!isPostponed(op.getInput()) || !(form == prepended || isFirst))
    return std::nullopt;
  Value input = operand(op, op.getInput(), prepended, b);
  if (!input)
    return Value();
  if (form == prepended)
    for (int64_t &dim : dims)
      ++dim;
  else
    llvm::erase(dims, int64_t(form));
  if (dims.empty())
    return input;
  Value empty = tensor::EmptyOp::create(b, type.getShape(), type.getElementType());
  return linalg::BroadcastOp::create(b, input, empty, dims)->getResult(0);
}

Value PastValues::buildLoops(linalg::LinalgOp op, Form form, Builder &b) {
  if (op->getNumResults() != 1 || !op.hasPureTensorSemantics()) {
    refuse(op) << "'" << op->getName() << "' with several results depends on the past";
    return {};
  }
  RankedTensorType type = typeOf(op, form);
  if (!type)
    return {};
  if (auto broadcast = dyn_cast<linalg::BroadcastOp>(op.getOperation()))
    if (std::optional<Value> value = buildBroadcast(broadcast, form, type, b))
      return *value;
  Loops loops(*this, op, form, type, b);
  return loops.check() ? loops.build() : Value();
}
