//===- LaneChunks.cpp - the chunks of rows that a lane has ----------------===//

#include "LaneChunks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

/// The maximum number of elements of operands that all rows share that a lane loads before its first row.
static constexpr int64_t maxLoaded = 32;

LaneChunks::LaneChunks(LaneCode &lanes, ImplicitLocOpBuilder &b, Value thread, const FragmentLayout &layout,
                       int64_t width, Value endColumn)
    : lanes(lanes), b(b), thread(thread), layout(layout) {
  SmallVector<SmallVector<int64_t>> rows = layout.findRows();
  std::optional<int64_t> end = endColumn ? getConstantIntValue(endColumn) : std::nullopt;
  std::vector<ElementChunk> known; // one for each group of columns
  auto findChunk = [&](int64_t across, int64_t element) {
    for (const ElementChunk &other : known)
      if (other.across == across && layout.areInLine(1, other.element, element)) {
        ElementChunk chunk = other;
        chunk.element = element;
        return chunk;
      }
    ElementChunk chunk = {across, element, layout.emitColumn(b, thread, across, element), Value(), Elements()};
    if (endColumn && (!end || *end < layout.getEndOfColumns(across)))
      chunk.exists = emitLess(b, chunk.column, endColumn);
    known.push_back(chunk);
    return chunk;
  };
  chunks.resize(rows.size());
  for (auto [elements, ofRow] : llvm::zip(rows, chunks))
    for (int64_t across = 0; across < layout.getAcross(); ++across)
      for (size_t i = 0; i < elements.size(); i += width)
        ofRow.push_back(findChunk(across, elements[i]));
}

void LaneChunks::load(ElementCode &code) {
  if (countRows() == 1)
    return;
  std::vector<ElementChunk> loaded; // one for each group of columns
  for (std::vector<ElementChunk> &ofRow : chunks)
    for (ElementChunk &chunk : ofRow) {
      auto other = llvm::find_if(loaded, [&](const ElementChunk &known) { return known.column == chunk.column; });
      if (other == loaded.end()) {
        chunk.known = code.loadOfColumn(lanes, chunk.column, chunk.exists);
        loaded.push_back(chunk);
      } else {
        chunk.known = other->known;
      }
    }
}

bool LaneChunks::emitColumnByColumn(ElementCode &code, Value endRow) {
  int64_t columns = int64_t(chunks.front().size()) * code.getWidth(), groups = int64_t(chunks.size());
  if (countRows() == 1 || code.countOfColumn() * columns <= maxLoaded)
    return false;
  SmallVector<ElementRow> rows;
  SmallVector<Value> exist; // whether the rows exist; null if they do in every lane
  for (int64_t down = 0; down < layout.getDown(); ++down)
    for (const std::vector<ElementChunk> &ofRow : chunks) {
      Value row = layout.emitRow(b, thread, down, ofRow.front().element);
      exist.push_back(endRow ? emitLess(b, row, endRow) : Value());
      rows.push_back(code.beginRow(lanes, row, int64_t(rows.size()), exist.back()));
    }
  for (size_t i = 0; i < chunks.front().size(); ++i) {
    Value column; // the first column of the elements in `known`
    Elements known;
    for (int64_t number = 0; number < countRows(); ++number) {
      ElementChunk chunk = chunks[number % groups][i];
      if (chunk.column != column)
        known = code.loadOfColumn(lanes, chunk.column, chunk.exists);
      column = chunk.column;
      chunk.known = known;
      Value exists = chunk.exists && exist[number] ? Value(arith::AndIOp::create(b, chunk.exists, exist[number]))
                     : chunk.exists                ? chunk.exists
                                                   : exist[number];
      lanes.emitIf(exists, Type(), [&]() -> Value {
        code.emit(rows[number], chunk, layout.getFirst(number / groups, chunk.across) + chunk.element, {});
        return {};
      });
    }
  }
  return true;
}
