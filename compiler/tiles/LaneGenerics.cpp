//===- LaneGenerics.cpp - elementwise operations on tiles -----------------===//
//
// A lane executes the body of a linalg.generic once for each element that it has
// of the tiles in registers. Other operands are in global memory; neighbouring
// elements of them are loaded and stored at once where this is possible.
//
//===----------------------------------------------------------------------===//

#include "Divisors.h"
#include "LaneCode.h"
#include "TilePlaces.h"

#include "kinds/FragmentCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace heddle;

namespace {
/// An operand of the op: a tile in registers, a part of global memory, or a scalar.
struct Operand {
  Value value;
  AffineMap map;
  Value registers;     // of a tile; else null
  GlobalPart global;   // of another buffer; its buffer is null for tiles and scalars
  bool isWide = false; // whether neighbouring elements of a row are accessed at once

  /// Whether the operand is in global memory and is the same in all rows, or else in all columns.
  bool isOfColumn() const { return global.buffer && !map.isFunctionOfDim(0); }
  bool isOfRow() const { return global.buffer && map.isFunctionOfDim(0) && !map.isFunctionOfDim(1); }
};

/// The elements of some operands, by their numbers, at some neighbours in a row.
using Elements = llvm::DenseMap<unsigned, SmallVector<Value>>;

/// Emits the body of one linalg.generic for elements of a lane.
class ElementCode {
public:
  ElementCode(LaneCode &code, ImplicitLocOpBuilder &b, linalg::GenericOp op, SmallVector<Operand> operands)
      : code(code), b(b), op(op), operands(std::move(operands)) {}

  /// Emits the body for all elements of a lane, `width` neighbours at a time. `endRow` and `endColumn` are the ends of
  /// the rows and columns that exist, or null if all exist.
  void emitTile(const FragmentLayout &layout, Value thread, int64_t width, Value endRow, Value endColumn);

private:
  /// Emits the body for `width` neighbours in a row, of which (row, column) is the first, and `element` the index in
  /// registers. `known` are operands that are already loaded.
  void emit(Value row, Value column, int64_t element, int64_t width, const Elements &known);
  /// Loads the operands that are the same in all rows, for `width` neighbours. The result is zeros if the column does
  /// not exist; `exists` is null if it always does.
  Elements loadOfColumn(Value column, int64_t width, Value exists);
  /// Loads the operands that are the same in all columns, for `width` neighbours.
  Elements loadOfRow(Value row, int64_t width);
  SmallVector<Value> indices(const Operand &operand, Value row, Value column);
  SmallVector<Value> read(const Operand &operand, Value row, Value column, int64_t element, int64_t width);
  void write(const Operand &operand, Value row, Value column, int64_t element, ArrayRef<Value> values);
  Value shifted(Value column, int64_t by);

  LaneCode &code;
  ImplicitLocOpBuilder &b;
  linalg::GenericOp op;
  SmallVector<Operand> operands;
};
} // namespace

Value ElementCode::shifted(Value column, int64_t by) {
  return by ? Value(arith::AddIOp::create(b, column, arith::ConstantIndexOp::create(b, by))) : column;
}

/// Emits the indices of an operand in global memory at an element of the iteration space.
SmallVector<Value> ElementCode::indices(const Operand &operand, Value row, Value column) {
  SmallVector<Value> at;
  for (AffineExpr expr : operand.map.getResults())
    at.push_back(cast<AffineDimExpr>(expr).getPosition() == 0 ? row : column);
  return operand.global.emitIndices(b, at);
}

SmallVector<Value> ElementCode::read(const Operand &operand, Value row, Value column, int64_t element, int64_t width) {
  SmallVector<Value> values;
  if (operand.isWide && width > 1) {
    auto type = VectorType::get({width}, getElementTypeOrSelf(operand.value));
    Value vector = vector::LoadOp::create(b, type, operand.global.buffer, indices(operand, row, column));
    for (int64_t i = 0; i < width; ++i)
      values.push_back(vector::ExtractOp::create(b, vector, i));
    return values;
  }
  for (int64_t i = 0; i < width; ++i) {
    if (operand.registers)
      values.push_back(
          memref::LoadOp::create(b, operand.registers, Value(arith::ConstantIndexOp::create(b, element + i))));
    else if (!operand.global.buffer)
      values.push_back(operand.value);
    else if (i > 0 && !operand.map.isFunctionOfDim(1))
      values.push_back(values.front());
    else
      values.push_back(memref::LoadOp::create(b, operand.global.buffer, indices(operand, row, shifted(column, i))));
  }
  return values;
}

void ElementCode::write(const Operand &operand, Value row, Value column, int64_t element, ArrayRef<Value> values) {
  if (operand.isWide && values.size() > 1) {
    auto type = VectorType::get({int64_t(values.size())}, values.front().getType());
    Value vector = vector::FromElementsOp::create(b, type, values);
    vector::StoreOp::create(b, vector, operand.global.buffer, indices(operand, row, column));
    return;
  }
  for (auto [i, value] : llvm::enumerate(values))
    if (operand.registers)
      memref::StoreOp::create(b, value, operand.registers,
                              Value(arith::ConstantIndexOp::create(b, element + int64_t(i))));
    else
      memref::StoreOp::create(b, value, operand.global.buffer, indices(operand, row, shifted(column, int64_t(i))));
}

Elements ElementCode::loadOfColumn(Value column, int64_t width, Value exists) {
  Elements loaded;
  for (unsigned number = 0; number < operands.size(); ++number) {
    const Operand &operand = operands[number];
    if (!operand.isOfColumn() || op.getBody()->getArgument(number).use_empty())
      continue;
    Type element = getElementTypeOrSelf(operand.value);
    auto type = VectorType::get({width}, element);
    Value all = code.emitIf(exists, type, [&]() -> Value {
      return vector::FromElementsOp::create(b, type, read(operand, Value(), column, 0, width));
    });
    for (int64_t i = 0; i < width; ++i)
      loaded[number].push_back(vector::ExtractOp::create(b, all, i));
  }
  return loaded;
}

Elements ElementCode::loadOfRow(Value row, int64_t width) {
  Elements loaded;
  for (auto [number, operand] : llvm::enumerate(operands))
    if (operand.isOfRow() && !op.getBody()->getArgument(number).use_empty())
      loaded[number] = read(operand, row, Value(), 0, width);
  return loaded;
}

void ElementCode::emit(Value row, Value column, int64_t element, int64_t width, const Elements &known) {
  Block &body = *op.getBody();
  SmallVector<SmallVector<Value>> inputs;
  for (auto [number, operand] : llvm::enumerate(operands)) {
    auto loaded = known.find(number);
    if (body.getArgument(number).use_empty())
      inputs.emplace_back();
    else
      inputs.push_back(loaded != known.end() ? loaded->second : read(operand, row, column, element, width));
  }
  SmallVector<SmallVector<Value>> results(op.getNumDpsInits());
  for (int64_t i = 0; i < width; ++i) {
    IRMapping mapping;
    for (auto [argument, values] : llvm::zip(body.getArguments(), inputs))
      if (!values.empty())
        mapping.map(argument, values[i]);
    for (Operation &inside : body.without_terminator()) // linalg.index is never in an inner region
      if (auto index = dyn_cast<linalg::IndexOp>(inside))
        mapping.map(index.getResult(), index.getDim() == 0 ? row : shifted(column, i));
      else
        b.clone(inside, mapping);
    for (auto [result, yielded] : llvm::zip(results, body.getTerminator()->getOperands()))
      result.push_back(mapping.lookupOrDefault(yielded));
  }
  for (auto [number, values] : llvm::enumerate(results))
    write(operands[op.getNumDpsInputs() + number], row, column, element, values);
}

void ElementCode::emitTile(const FragmentLayout &layout, Value thread, int64_t width, Value endRow, Value endColumn) {
  auto isLess = [&](Value index, Value end) {
    return end ? Value(arith::CmpIOp::create(b, arith::CmpIPredicate::ult, index, end)) : Value();
  };
  struct Columns {
    int64_t across, element; // the block, and an element in the first of the columns
    Value first, exist;
    Elements known;
  };
  std::vector<Columns> columns; // which all rows share
  auto findColumns = [&](int64_t across, int64_t element) -> const Columns & {
    for (const Columns &known : columns)
      if (known.across == across && layout.areInLine(1, known.element, element))
        return known;
    Value first = layout.emitColumn(b, thread, across, element), exist = isLess(first, endColumn);
    columns.push_back({across, element, first, exist, loadOfColumn(first, width, exist)});
    return columns.back();
  };
  SmallVector<SmallVector<int64_t>> rows = layout.findRows();
  auto forEachChunk = [&](ArrayRef<int64_t> elements, function_ref<void(int64_t, int64_t)> emitChunk) {
    for (int64_t across = 0; across < layout.getAcross(); ++across)
      for (size_t i = 0; i < elements.size(); i += width)
        emitChunk(across, elements[i]);
  };
  for (ArrayRef<int64_t> elements : rows)
    forEachChunk(elements, [&](int64_t across, int64_t element) { (void)findColumns(across, element); });
  for (int64_t down = 0; down < layout.getDown(); ++down)
    for (ArrayRef<int64_t> elements : rows) {
      Value row = layout.emitRow(b, thread, down, elements.front());
      code.emitIf(isLess(row, endRow), Type(), [&]() -> Value {
        Elements ofRow = loadOfRow(row, width);
        forEachChunk(elements, [&](int64_t across, int64_t element) {
          const Columns &place = findColumns(across, element);
          Elements known = place.known;
          known.insert(ofRow.begin(), ofRow.end());
          code.emitIf(place.exist, Type(), [&]() -> Value {
            emit(row, place.first, layout.getFirst(down, across) + element, width, known);
            return {};
          });
        });
        return {};
      });
    }
}

/// Returns whether the op is elementwise on matrices: its loops are the rows and columns, and each operand is indexed
/// by some of them.
static bool isElementwise(linalg::GenericOp op) {
  return op.getNumLoops() == 2 && op.getNumReductionLoops() == 0 && op.hasPureBufferSemantics() &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) { return map.isProjectedPermutation(); });
}

LogicalResult LaneCode::generic(linalg::GenericOp op) {
  if (!isElementwise(op))
    return op.emitError("is an operation on tiles that is not elementwise");
  std::optional<Fragment> tile; // which determines the elements of each lane
  SmallVector<Operand> operands;
  for (OpOperand &use : op->getOpOperands()) {
    Operand operand{use.get(), op.getMatchingIndexingMap(&use), Value(), {}};
    if (isa_and_nonnull<FragmentsAttr>(placeOf(use.get()))) {
      FailureOr<Fragment> fragment = findFragment(op, use.get());
      if (failed(fragment))
        return failure();
      if (!operand.map.isIdentity() || (tile && !(fragment->layout == tile->layout)))
        return op.emitError("expects all tiles in registers in one layout and without a transposition");
      operand.registers = fragment->registers;
      tile = *fragment;
    } else if (placeOf(use.get())) {
      return op.emitError("is elementwise on a tile in workgroup memory, which lanes have no code for");
    } else if (isa<MemRefType>(use.get().getType())) {
      operand.global = GlobalPart::of(b, use.get());
    }
    if (!operand.registers && op.isDpsInit(&use) && !operand.map.isIdentity())
      return op.emitError("has a result whose elements are not in one lane each");
    operands.push_back(operand);
  }
  assert(tile && "an operand is a tile, and tiles in workgroup memory are refused");
  const FragmentLayout &layout = tile->layout;
  auto isGlobal = [](const Operand &operand) { return bool(operand.global.buffer); };
  bool reads = llvm::any_of(llvm::zip(operands, op.getBody()->getArguments()),
                            [&](auto pair) { return isGlobal(std::get<0>(pair)) && !std::get<1>(pair).use_empty(); });
  beforeGlobal(reads, llvm::any_of(ArrayRef(operands).take_back(op.getNumDpsInits()), isGlobal));
  int64_t width =
      layout.findWidth(widestAccess / layout.getKind().getElementOf(FragmentRole::Sum).getIntOrFloatBitWidth());
  // Returns the end of the iterations if they do not cover the whole tile, else null.
  auto emitEnd = [&](OpFoldResult size, int64_t whole) {
    std::optional<int64_t> number = getConstantIntValue(size);
    return number && *number >= whole ? Value() : getValueOrCreateConstantIndexOp(b, b.getLoc(), size);
  };
  Value endRow = emitEnd(tile->rows, layout.getRows()), endColumn = emitEnd(tile->columns, layout.getColumns());
  bool hasWholeChunks = !endColumn || isMultiple(endColumn, width);
  for (Operand &operand : operands)
    operand.isWide = hasWholeChunks && operand.global.buffer && operand.global.isAligned(width) &&
                     operand.map.getNumResults() > 0 &&
                     operand.map.getResult(operand.map.getNumResults() - 1) == b.getAffineDimExpr(1);
  ElementCode code(*this, b, op, operands);
  code.emitTile(layout, thread, hasWholeChunks ? width : 1, endRow, endColumn);
  return success();
}
