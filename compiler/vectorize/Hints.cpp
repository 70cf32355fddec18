//===- Hints.cpp - what vectorised loops tell LLVM and the CPU ------------===//

#include "Hints.h"

#include "ReadNotes.h"

using namespace mlir;
using namespace heddle;

LLVM::LoopAnnotationAttr heddle::keepRolled(MLIRContext *context) {
  auto unroll = LLVM::LoopUnrollAttr::get(context, BoolAttr::get(context, true), {}, {}, {}, {}, {}, {});
  return LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
}

/// How many rows of the type lie in so many bytes, one at least; 0 where rows have no known size.
static int64_t rowsAhead(RankedTensorType type, int64_t bytes) {
  if (type.getRank() < 2 || type.isDynamicDim(type.getRank() - 1) || !type.getElementType().isIntOrFloat())
    return 0;
  int64_t row = type.getShape().back() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  return row ? std::max<int64_t>(bytes / row, 1) : 0;
}

ReadsAhead::ReadsAhead(VectorBuilder &b, linalg::LinalgOp op, unsigned lane) {
  std::optional<int64_t> bytes = notes::ahead.get(op);
  if (!bytes)
    return;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto type = dyn_cast<RankedTensorType>(input->get().getType());
    AffineMap map = op.getMatchingIndexingMap(input);
    bool reduces = llvm::any_of(llvm::seq<unsigned>(0, iterators.size()), [&](unsigned loop) {
      return iterators[loop] == utils::IteratorType::reduction && map.isFunctionOfDim(loop);
    });
    int64_t rows = type && reduces && map.isFunctionOfDim(lane) ? rowsAhead(type, *bytes) : 0;
    if (!rows)
      continue;
    inputs.push_back({input->getOperandNumber(), b.memory(input->get()), rows});
  }
}

void ReadsAhead::ask(VectorBuilder &b, OpOperand &input, VectorBuilder::Indices at) const {
  const auto *found = llvm::find_if(inputs, [&](const Input &one) { return one.number == input.getOperandNumber(); });
  if (found == inputs.end())
    return;
  SmallVector<OpFoldResult> place(at);
  OpFoldResult &row = place[place.size() - 2];
  row = b.add(row, found->rows);
  b.prefetch(found->memory, place, /*locality=*/3);
}
