//===- LaneLoads.cpp - copies of tiles into registers ---------------------===//

#include "Divisors.h"
#include "LaneCode.h"
#include "TilePlaces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

/// Each lane loads its elements from global memory, several adjacent elements at once where possible, and converts them
/// to the element type of the tile. Elements that are not copied are 0.
LogicalResult LaneCode::copyToRegisters(TileCopyOp op) {
  FailureOr<Fragment> tile = findFragment(op, op.getTile());
  if (failed(tile))
    return failure();
  if (!tile->isWhole())
    return op.emitError("copies into a part of a tile in registers, for which lanes have no code");
  if (placeOf(op.getSource()))
    return op.emitError("expects a source in global memory, found ") << op.getSource().getType();
  barriers.beforeGlobal(/*reads=*/op.getSource(), /*writes=*/{});
  const FragmentLayout &layout = tile->layout;
  bool isPartial = !op.getValid().empty();
  Value endRow = isPartial ? emitEnd(b, op.getValid()[0], layout.getRows()) : Value();
  Value endColumn = isPartial ? emitEnd(b, op.getValid()[1], layout.getColumns()) : Value();
  GlobalPart source = GlobalPart::of(b, op.getSource());
  source.offsets = source.emitIndices(b, op.getIndices());
  auto fits = [&](int64_t width) { return source.isAligned(width) && (!endColumn || isMultiple(endColumn, width)); };
  int64_t bits = getElementTypeOrSelf(op.getTile()).getIntOrFloatBitWidth();
  int64_t width = layout.findWidth(FragmentKind::widestAccess / bits);
  while (width > 1 && !fits(width))
    width /= 2;
  bool hasView = facts.pointers && source.isAligned(width); // then all accesses to a row have one base address
  std::optional<int64_t> end = endColumn ? getConstantIntValue(endColumn) : std::nullopt;
  Type element = getElementTypeOrSelf(op.getTile());
  if (endRow || endColumn) {
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
    for (int64_t i = 0; i < layout.getCount(); ++i)
      store(zero, tile->registers, i);
  }
  Type stored = getElementTypeOrSelf(op.getSource());
  auto emitLoad = [&](Value buffer, ArrayRef<Value> at, int64_t first) {
    if (width == 1)
      return store(emitConverted(b, memref::LoadOp::create(b, buffer, at), element), tile->registers, first);
    Value vector = vector::LoadOp::create(b, VectorType::get({width}, stored), buffer, at);
    vector = emitConverted(b, vector, element);
    for (int64_t i = 0; i < width; ++i)
      store(vector::ExtractOp::create(b, vector, i), tile->registers, first + i);
  };
  for (int64_t down = 0; down < layout.getDown(); ++down)
    for (const SmallVector<int64_t> &elements : layout.findRows()) {
      Value row = layout.emitRow(b, thread, down, elements.front());
      emitIf(endRow ? emitLess(b, row, endRow) : Value(), Type(), [&]() -> Value {
        for (size_t i = 0; i < elements.size(); i += width) {
          Value first = layout.emitColumn(b, thread, 0, elements[i]);
          Value view = hasView ? source.emitView(b, row, first, 1, layout.getColumns()) : Value();
          for (int64_t across = 0; across < layout.getAcross(); ++across) {
            int64_t distance = layout.getEndOfColumns(across) - layout.getEndOfColumns(0);
            Value column = across ? layout.emitColumn(b, thread, across, elements[i]) : first;
            bool isWhole = !endColumn || (end && *end >= layout.getEndOfColumns(across));
            emitIf(isWhole ? Value() : emitLess(b, column, endColumn), Type(), [&]() -> Value {
              int64_t at = layout.getFirst(down, across) + elements[i];
              if (view)
                emitLoad(view, {constant(0), constant(distance)}, at);
              else
                emitLoad(source.buffer, source.emitIndices(b, {row, column}), at);
              return {};
            });
          }
        }
        return {};
      });
    }
  return success();
}
