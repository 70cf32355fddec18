//===- LaneGenerics.cpp - linalg.generic on tiles -------------------------===//
//
// A lane executes the body of a linalg.generic once for each of its elements of
// the tiles in registers. Other operands are scalars or in global memory, and
// other results are in global or workgroup memory; adjacent elements of these
// operands and results are loaded and stored at once where possible. Outputs
// with one element for each row are reductions along the rows.
//
//===----------------------------------------------------------------------===//

#include "Divisors.h"
#include "ElementCode.h"
#include "LaneChunks.h"
#include "LaneRows.h"
#include "TilePlaces.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace heddle;

/// Returns whether the op is on buffers and has two loops, over the rows (in parallel) and the columns of matrices, and
/// whether each operand is indexed by some of these loops.
static bool isOnMatrices(linalg::GenericOp op) {
  return op.getNumLoops() == 2 && op.getIteratorTypesArray()[0] == utils::IteratorType::parallel &&
         op.hasPureBufferSemantics() &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) { return map.isProjectedPermutation(); });
}

/// Returns whether two operands in global memory are known to be the same part of a buffer.
static bool areSamePart(Value left, Value right) {
  auto first = left.getDefiningOp<memref::SubViewOp>(), second = right.getDefiningOp<memref::SubViewOp>();
  if (left == right || !first || !second || first.getSource() != second.getSource())
    return left == right;
  FailureOr<bool> areEqual = ValueBoundsConstraintSet::areEquivalentSlices(
      left.getContext(), HyperrectangularSlice(first), HyperrectangularSlice(second));
  return succeeded(areEqual) && *areEqual;
}

/// Returns whether two operands are parts of one buffer, and are not known to be disjoint. Two arguments of the kernel
/// count as different buffers: bufferization passes the same memory for both only if each iteration accesses the same
/// element of both.
static bool mayOverlap(Value left, Value right) {
  if (findViewed(left) != findViewed(right))
    return false;
  auto first = left.getDefiningOp<memref::SubViewOp>(), second = right.getDefiningOp<memref::SubViewOp>();
  if (!first || !second || first.getSource() != second.getSource())
    return true;
  FailureOr<bool> overlap = ValueBoundsConstraintSet::areOverlappingSlices(
      left.getContext(), HyperrectangularSlice(first), HyperrectangularSlice(second));
  return failed(overlap) || *overlap;
}

/// Checks that the order in which lanes access elements does not matter: no other lane, and no other iteration, may
/// access an element that a lane writes. Emits an error and fails otherwise. An input may be the memory of a result if
/// both have the same element in each iteration.
static LogicalResult checkOrder(linalg::GenericOp op, ArrayRef<ElementOperand> operands) {
  int64_t inputs = op.getNumDpsInputs();
  for (int64_t result = inputs; result < int64_t(operands.size()); ++result)
    for (int64_t other = 0; other < result; ++other) {
      const ElementOperand &written = operands[result], &accessed = operands[other];
      bool isInput = other < inputs;
      bool areInRegisters = written.registers && written.registers == accessed.registers;
      bool areGlobal = written.global.buffer && accessed.global.buffer && mayOverlap(written.value, accessed.value);
      if ((!areInRegisters && !areGlobal) || (isInput && op.getBody()->getArgument(other).use_empty()))
        continue;
      bool isInPlace = isInput && !written.isReduction && written.map == accessed.map &&
                       (areInRegisters || areSamePart(written.value, accessed.value));
      if (!isInPlace)
        return op.emitError() << "accesses the memory of operand #" << result << " through operand #" << other
                              << " in another order than it writes it";
    }
  return success();
}

/// Finds the operands of the op. Emits an error and fails if a lane cannot access them element by element. Sets
/// `tile` to the tile in registers that determines which elements each lane has.
LogicalResult LaneCode::findOperands(linalg::GenericOp op, SmallVectorImpl<ElementOperand> &operands,
                                     std::optional<Fragment> &tile) {
  SmallVector<FragmentLayout> ofRows; // the layouts of the operands of rank 1
  AffineMap rowMap = AffineMap::get(2, 0, b.getAffineDimExpr(0));
  bool isReduction = op.getNumReductionLoops() > 0;
  for (OpOperand &use : op->getOpOperands()) {
    ElementOperand operand{use.get(), op.getMatchingIndexingMap(&use), Value(), {}};
    if (isa_and_nonnull<FragmentsAttr>(placeOf(use.get()))) {
      FailureOr<Fragment> fragment = findFragment(op, use.get());
      if (failed(fragment))
        return failure();
      bool isOfRows = fragment->layout.isOfRows();
      if (operand.map != (isOfRows ? rowMap : b.getMultiDimIdentityMap(2)) ||
          (!isOfRows && tile && !(fragment->layout == tile->layout)))
        return op.emitError("expects all tiles in registers in one layout and without a transposition");
      operand.registers = fragment->registers;
      operand.isReduction = isOfRows && isReduction && op.isDpsInit(&use);
      if (isOfRows)
        ofRows.push_back(fragment->layout);
      else
        tile = *fragment;
    } else if (placeOf(use.get())) {
      if (!op.isDpsInit(&use) || op.payloadUsesValueFromOperand(&use) || !operand.map.isIdentity() ||
          !llvm::is_contained(shared, use.get().getDefiningOp()))
        return op.emitError("reads a tile in workgroup memory element by element, or writes a part of one, which lanes "
                            "have no code for");
      operand.global.buffer = use.get();
      operand.rowsApart = findRowsApart(use.get());
    } else if (isa<MemRefType>(use.get().getType())) {
      operand.global = GlobalPart::of(b, use.get());
    }
    if (op.isDpsInit(&use) && !operand.isReduction && !operand.map.isIdentity())
      return op.emitError("has a result whose elements are not in one lane each");
    operands.push_back(operand);
  }
  if (!tile)
    return op.emitError("has no tile of rank 2 in registers, which determines the elements of each lane");
  if (!llvm::all_of(ofRows, [&](const FragmentLayout &layout) { return layout.isOfRowsOf(tile->layout); }))
    return op.emitError("reads elements of rows that are in other lanes than the rows");
  return checkOrder(op, operands);
}

/// Combines the results of the warps that share rows, through workgroup memory. `rows` contains the indices of the
/// lane's rows, and `results` the results of the lane's warp for each of these rows, or of the lane alone if there are
/// no shuffles. Replaces `results` by the combined results of all lanes that share these rows.
void LaneCode::exchange(linalg::GenericOp op, const RowReductions &reductions, const FragmentLayout &layout,
                        ArrayRef<Value> rows, MutableArrayRef<SmallVector<Value>> results) {
  int64_t ofWarp = facts.shuffles ? 1 : reductions.countLanes(); // the number of results of a warp for a row
  int64_t count = ofWarp * layout.getWarpsAcross();
  if (count == 1 || reductions.size() == 0)
    return;
  Type element = results.front().front().getType();
  auto type = MemRefType::get({int64_t(reductions.size()), layout.getRows(), count}, element,
                              MemRefLayoutAttrInterface(), WorkgroupAttr::get(b.getContext()));
  // Without shuffles, all reductions exchange results. They share a buffer, which then may need one more barrier.
  Value parts = exchanged.lookup(type);
  bool isNew = !parts;
  if (isNew) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&kernel.getBody().front());
    parts = shared.emplace_back(memref::AllocOp::create(b, type));
    if (!facts.shuffles)
      exchanged[type] = parts;
  }
  if (op->getParentOfType<LoopLikeOpInterface>())
    barriers.beforeWrites(Value()); // the previous iteration has read `parts`
  else if (!isNew)
    barriers.beforeWrites(parts);
  barriers.addWrites(parts);
  Value lane = emitLane(b, thread), own = layout.emitWarpAcross(b, thread), isStored;
  if (facts.shuffles) {
    isStored = reductions.emitIsFirst(b, lane);
  } else {
    AffineExpr warp = b.getAffineDimExpr(0), number = b.getAffineDimExpr(1);
    own = affine::makeComposedAffineApply(b, b.getLoc(), AffineMap::get(2, 0, warp * ofWarp + number),
                                          {OpFoldResult(own), OpFoldResult(reductions.emitNumber(b, lane))});
  }
  emitIf(isStored, Type(), [&]() -> Value {
    for (auto [row, ofRow] : llvm::zip(rows, results))
      for (auto [number, result] : llvm::enumerate(ofRow))
        memref::StoreOp::create(b, result, parts, ValueRange{constant(int64_t(number)), row, own});
    return {};
  });
  barriers.beforeReads(parts);
  auto load = [&](size_t number, Value row, int64_t from) -> Value {
    return memref::LoadOp::create(b, parts, ValueRange{constant(int64_t(number)), row, constant(from)});
  };
  for (auto [row, ofRow] : llvm::zip(rows, results))
    for (auto [number, result] : llvm::enumerate(ofRow)) {
      result = load(number, row, 0);
      for (int64_t other = 1; other < count; ++other)
        result = reductions.combine(b, number, result, load(number, row, other));
    }
}

/// Executes the body of an op on tensors of rank 1 in registers, or on parts of them, once for each of a lane's rows.
/// Results may be in global memory, where one of the lanes that share a row writes the row's element.
LogicalResult LaneCode::genericOfRows(linalg::GenericOp op) {
  SmallVector<Value> operands; // the private buffers of the lane's elements, buffers in global memory, or scalars
  std::optional<Fragment> rowsOf;
  bool hasGlobal = false;
  for (OpOperand &use : op->getOpOperands()) {
    operands.push_back(use.get());
    if (!isa<MemRefType>(use.get().getType()))
      continue;
    if (!op.getMatchingIndexingMap(&use).isIdentity())
      return op.emitError("has one loop, but an operand that is indexed in another way");
    if (!placeOf(use.get()) && op.isDpsInit(&use) && !op.payloadUsesValueFromOperand(&use)) {
      hasGlobal = true;
      continue;
    }
    if (!isa_and_nonnull<FragmentsAttr>(placeOf(use.get())))
      return op.emitError("has one loop, but an operand that is not a tensor of rank 1 in registers");
    FailureOr<Fragment> fragment = findFragment(op, use.get());
    if (failed(fragment))
      return failure();
    if (rowsOf && !(fragment->layout == rowsOf->layout && fragment->rows == rowsOf->rows))
      return op.emitError("expects tensors of rank 1 with elements of the same rows");
    rowsOf = fragment;
    operands.back() = fragment->registers;
  }
  if (!rowsOf || (!hasGlobal && !rowsOf->isWhole()))
    return op.emitError("expects whole tensors of rank 1 in registers");
  const FragmentLayout &layout = rowsOf->layout;
  FailureOr<SmallVector<int64_t>> sharingBits = layout.findSharingBits(op);
  if (failed(sharingBits))
    return failure();
  SharedAccesses accesses;
  accesses.addGlobal(op);
  barriers.beforeGlobal(accesses.readGlobal, accesses.writtenGlobal);
  Value endRow = emitEnd(b, rowsOf->rows, layout.getRows()), isFirst;
  if (hasGlobal) {
    isFirst = emitIsFirst(b, emitLane(b, thread), *sharingBits);
    if (layout.getWarpsAcross() > 1)
      isFirst = arith::AndIOp::create(b, isFirst, emitLess(b, layout.emitWarpAcross(b, thread), constant(1)));
  }
  Block &body = *op.getBody();
  SmallVector<SmallVector<int64_t>> rows = layout.findRows();
  for (int64_t number = 0; number < layout.getCount(); ++number) {
    IRMapping mapping;
    for (auto [operand, argument] : llvm::zip(operands, body.getArguments()))
      if (!argument.use_empty())
        mapping.map(argument, isa<MemRefType>(operand.getType()) ? load(operand, number) : operand);
    int64_t inBlock = layout.getCountInBlock();
    Value row = layout.emitRow(b, thread, number / inBlock, rows[number % inBlock].front());
    for (Operation &inside : body.without_terminator())
      if (auto index = dyn_cast<linalg::IndexOp>(inside))
        mapping.map(index.getResult(), row);
      else
        b.clone(inside, mapping);
    for (auto [use, yielded] : llvm::zip(op.getDpsInitsMutable(), body.getTerminator()->getOperands())) {
      Value result = mapping.lookupOrDefault(yielded);
      if (placeOf(use.get())) {
        store(result, operands[use.getOperandNumber()], number);
        continue;
      }
      Value isWritten = endRow ? Value(arith::AndIOp::create(b, isFirst, emitLess(b, row, endRow))) : isFirst;
      emitIf(isWritten, Type(), [&, buffer = use.get()]() -> Value {
        GlobalPart part = GlobalPart::of(b, buffer);
        memref::StoreOp::create(b, result, part.buffer, part.emitIndices(b, {row}));
        return {};
      });
    }
  }
  return success();
}

LogicalResult LaneCode::generic(linalg::GenericOp op) {
  if (op.getNumLoops() == 1 && op.getNumParallelLoops() == 1 && op.hasPureBufferSemantics())
    return genericOfRows(op);
  if (!isOnMatrices(op))
    return op.emitError("is an operation on tiles that is neither elementwise nor along their rows");
  std::optional<Fragment> tile;
  SmallVector<ElementOperand> operands;
  if (failed(findOperands(op, operands, tile)))
    return failure();
  const FragmentLayout &layout = tile->layout;
  SmallVector<unsigned> outputs; // the outputs that are reductions
  for (auto [number, operand] : llvm::enumerate(ArrayRef(operands).drop_front(op.getNumDpsInputs())))
    if (operand.isReduction)
      outputs.push_back(number);
  if (std::optional<LeftFactors> factors = addsWidened(op) ? LeftFactors::of(*tile) : std::nullopt) {
    factors->addTo(b, operands[1].registers);
    return success();
  }
  FailureOr<RowReductions> reductions = RowReductions::of(op, outputs, layout);
  if (failed(reductions))
    return failure();
  SharedAccesses accesses;
  accesses.addGlobal(op);
  barriers.beforeGlobal(accesses.readGlobal, accesses.writtenGlobal);
  for (Value output : op.getDpsInits())
    if (isa_and_nonnull<WorkgroupAttr>(placeOf(output)))
      barriers.beforeWrites(output);
  Value endRow = emitEnd(b, tile->rows, layout.getRows()), endColumn = emitEnd(b, tile->columns, layout.getColumns());
  int64_t bits = layout.getKind().getElementOf(FragmentRole::Sum).getIntOrFloatBitWidth();
  int64_t width = layout.findWidth(FragmentKind::widestAccess / bits);
  if (endColumn && !isMultiple(endColumn, width))
    width = 1;
  for (ElementOperand &operand : operands)
    operand.isWide = operand.global.buffer && operand.global.isAligned(width) && operand.map.getNumResults() > 0 &&
                     operand.map.getResult(operand.map.getNumResults() - 1) == b.getAffineDimExpr(1);
  ElementCode code(b, op, operands, width);
  LaneChunks ofLane(*this, b, thread, layout, width, endColumn);
  if (outputs.empty() && ofLane.emitColumnByColumn(code, endRow))
    return success();
  ofLane.load(code);
  ArrayRef<std::vector<ElementChunk>> chunks = ofLane.get();
  SmallVector<Value> rows; // the indices of the lane's rows
  SmallVector<SmallVector<Value>> results(layout.getDown() * chunks.size());
  for (int64_t down = 0; down < layout.getDown(); ++down)
    for (size_t group = 0; group < chunks.size(); ++group) {
      ArrayRef<ElementChunk> ofRow = chunks[group];
      int64_t number = down * int64_t(chunks.size()) + int64_t(group); // the row's index among the lane's rows
      Value row = layout.emitRow(b, thread, down, ofRow.front().element);
      SmallVector<SmallVector<Value>> sums = reductions->emitStart(b);
      emitGuarded(endRow ? emitLess(b, row, endRow) : Value(), sums, [&] {
        ElementRow shared = code.beginRow(*this, row, number, /*exists=*/Value());
        for (const ElementChunk &chunk : ofRow)
          emitGuarded(chunk.exists, sums,
                      [&] { code.emit(shared, chunk, layout.getFirst(down, chunk.across) + chunk.element, sums); });
      });
      rows.push_back(row);
      for (size_t reduction = 0; reduction < reductions->size(); ++reduction) {
        Value ofLane = reductions->emitLaneResult(b, reduction, sums[reduction]);
        results[number].push_back(facts.shuffles ? reductions->emitWarpResult(b, reduction, ofLane) : ofLane);
      }
    }
  exchange(op, *reductions, layout, rows, results);
  for (auto [number, ofRow] : llvm::enumerate(results))
    for (auto [reduction, output] : llvm::enumerate(outputs)) {
      Value registers = operands[op.getNumDpsInputs() + output].registers;
      store(reductions->combine(b, reduction, load(registers, number), ofRow[reduction]), registers, number);
    }
  return success();
}
