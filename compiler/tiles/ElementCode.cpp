//===- ElementCode.cpp - the body of an operation on tiles ----------------===//

#include "ElementCode.h"

#include "kinds/TileMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace heddle;

Value ElementCode::shifted(Value column, int64_t by) {
  return by ? Value(arith::AddIOp::create(b, column, arith::ConstantIndexOp::create(b, by))) : column;
}

/// Emits the indices of an operand in global or workgroup memory at an element of the iteration space. `row` or
/// `column` may be null if the operand does not depend on it.
SmallVector<Value> ElementCode::indices(const ElementOperand &operand, Value row, Value column) {
  SmallVector<Value> at;
  for (AffineExpr expr : operand.map.getResults())
    at.push_back(cast<AffineDimExpr>(expr).getPosition() == 0 ? row : column);
  if (operand.rowsApart)
    return emitTileIndices(b, cast<MemRefType>(operand.value.getType()), operand.rowsApart, row, column);
  return operand.global.emitIndices(b, at);
}

SmallVector<Value> ElementCode::read(const ElementOperand &operand, Value row, Value column, int64_t element,
                                     int64_t count) {
  SmallVector<Value> values;
  if (operand.isWide && count > 1) {
    auto type = VectorType::get({count}, getElementTypeOrSelf(operand.value));
    Value vector = vector::LoadOp::create(b, type, operand.global.buffer, indices(operand, row, column));
    for (int64_t i = 0; i < count; ++i)
      values.push_back(vector::ExtractOp::create(b, vector, i));
    return values;
  }
  for (int64_t i = 0; i < count; ++i) {
    if (operand.registers)
      values.push_back(
          memref::LoadOp::create(b, operand.registers, Value(arith::ConstantIndexOp::create(b, element + i))));
    else if (!operand.global.buffer)
      values.push_back(operand.value);
    else
      values.push_back(memref::LoadOp::create(b, operand.global.buffer, indices(operand, row, shifted(column, i))));
  }
  return values;
}

/// If all values are rounded numbers, rounds them as elements of one vector, since an instruction can round two of them
/// (targets/cuda/PairRoundings.h). Otherwise returns the values.
SmallVector<Value> ElementCode::roundedTogether(ArrayRef<Value> values) {
  SmallVector<Value> numbers, rounded(values);
  for (Value value : values)
    if (auto rounding = value.getDefiningOp<arith::TruncFOp>(); rounding && !rounding.getRoundingmode())
      numbers.push_back(rounding.getIn());
  if (values.size() < 2 || numbers.size() != values.size())
    return rounded;
  Value vector = vector::FromElementsOp::create(
      b, VectorType::get({int64_t(numbers.size())}, numbers.front().getType()), numbers);
  auto type = VectorType::get({int64_t(values.size())}, values.front().getType());
  vector = arith::TruncFOp::create(b, type, vector);
  for (auto [i, value] : llvm::enumerate(rounded))
    value = vector::ExtractOp::create(b, vector, int64_t(i));
  return rounded;
}

void ElementCode::write(const ElementOperand &operand, Value row, Value column, int64_t element,
                        ArrayRef<Value> values) {
  if (operand.isWide && values.size() > 1) {
    auto type = VectorType::get({int64_t(values.size())}, values.front().getType());
    Value vector = vector::FromElementsOp::create(b, type, values);
    vector::StoreOp::create(b, vector, operand.global.buffer, indices(operand, row, column));
    return;
  }
  for (auto [i, value] : llvm::enumerate(operand.registers ? roundedTogether(values) : SmallVector<Value>(values)))
    if (operand.registers)
      memref::StoreOp::create(b, value, operand.registers,
                              Value(arith::ConstantIndexOp::create(b, element + int64_t(i))));
    else
      memref::StoreOp::create(b, value, operand.global.buffer, indices(operand, row, shifted(column, int64_t(i))));
}

int64_t ElementCode::countOfColumn() {
  return llvm::count_if(llvm::enumerate(operands),
                        [&](auto operand) { return operand.value().isOfColumn() && isRead(operand.index()); });
}

Elements ElementCode::loadOfColumn(LaneCode &code, Value column, Value exists) {
  Elements loaded;
  for (unsigned number = 0; number < operands.size(); ++number) {
    const ElementOperand &operand = operands[number];
    if (!operand.isOfColumn() || !isRead(number))
      continue;
    auto type = VectorType::get({width}, getElementTypeOrSelf(operand.value));
    Value all = code.emitIf(exists, type, [&]() -> Value {
      return vector::FromElementsOp::create(b, type, read(operand, Value(), column, 0, width));
    });
    for (int64_t i = 0; i < width; ++i)
      loaded[number].push_back(vector::ExtractOp::create(b, all, i));
  }
  return loaded;
}

ElementRow ElementCode::beginRow(LaneCode &code, Value row, int64_t number, Value exists) {
  Block &body = *op.getBody();
  IRMapping ofRow;
  for (auto [operand, argument] : llvm::zip(operands, body.getArguments()))
    if (operand.isOfRow() && !operand.isReduction && !argument.use_empty())
      ofRow.map(argument, code.emitIf(operand.global.buffer ? exists : Value(), argument.getType(),
                                      [&]() -> Value { return read(operand, row, Value(), number, 1).front(); }));
  for (Operation &inside : body.without_terminator()) {
    auto index = dyn_cast<linalg::IndexOp>(inside);
    bool isRow = index && index.getDim() == 0;
    bool isKnown = !index && isPure(&inside) && inside.getNumRegions() == 0 &&
                   llvm::all_of(inside.getOperands(), [&](Value operand) {
                     return ofRow.contains(operand) || operand.getParentBlock() != &body;
                   });
    if (isRow)
      ofRow.map(index.getResult(), row);
    else if (isKnown)
      b.clone(inside, ofRow);
    if (isRow || isKnown)
      emitted.insert(&inside);
  }
  return {row, ofRow};
}

void ElementCode::emit(const ElementRow &row, const ElementChunk &chunk, int64_t element,
                       MutableArrayRef<SmallVector<Value>> sums) {
  Block &body = *op.getBody();
  auto outputs = ArrayRef(operands).drop_front(op.getNumDpsInputs());
  SmallVector<SmallVector<Value>> reads;
  for (auto [number, operand] : llvm::enumerate(operands)) {
    BlockArgument argument = body.getArgument(number);
    auto known = chunk.known.find(number);
    if (argument.use_empty() || operand.isReduction || row.values.contains(argument))
      reads.emplace_back();
    else
      reads.push_back(known != chunk.known.end() ? known->second
                                                 : read(operand, row.index, chunk.column, element, width));
  }
  SmallVector<SmallVector<Value>> results(outputs.size());
  for (int64_t i = 0; i < width; ++i) {
    IRMapping mapping = row.values;
    for (auto [argument, values] : llvm::zip(body.getArguments(), reads))
      if (!values.empty())
        mapping.map(argument, values[i]);
    auto partial = [&](size_t reduction) -> Value & { return sums[reduction][(element + i) % sums[reduction].size()]; };
    size_t reduction = 0;
    for (auto [operand, argument] : llvm::zip(outputs, op.getRegionOutputArgs()))
      if (operand.isReduction)
        mapping.map(argument, partial(reduction++));
    for (Operation &inside : body.without_terminator())
      if (auto index = dyn_cast<linalg::IndexOp>(inside); index && index.getDim() == 1)
        mapping.map(index.getResult(), shifted(chunk.column, i));
      else if (!emitted.contains(&inside))
        b.clone(inside, mapping);
    reduction = 0;
    for (auto [operand, result, yielded] : llvm::zip(outputs, results, body.getTerminator()->getOperands())) {
      Value value = mapping.lookupOrDefault(yielded);
      if (operand.isReduction)
        partial(reduction++) = value;
      else
        result.push_back(value);
    }
  }
  for (auto [operand, values] : llvm::zip(outputs, results))
    if (!operand.isReduction)
      write(operand, row.index, chunk.column, element, values);
}
