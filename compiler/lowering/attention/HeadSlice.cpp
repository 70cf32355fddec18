//===- HeadSlice.cpp - slices of one or more heads ------------------------===//

#include "HeadSlice.h"

using namespace mlir;
using namespace heddle;

SmallVector<OpFoldResult> HeadSlice::getOffsets() const {
  OpFoldResult zero = OpBuilder(batch.getContext()).getIndexAttr(0);
  if (layout == Layout::Bhsd)
    return {batch, head, position, zero};
  return {batch, position, head, zero};
}

SmallVector<Extent> HeadSlice::getSizes() const {
  if (layout == Layout::Bhsd)
    return {1, heads, positions, size};
  return {1, positions, heads, size};
}

SmallVector<unsigned> HeadSlice::getRowDims() const {
  return layout == Layout::Bhsd ? SmallVector<unsigned>{2, 3} : SmallVector<unsigned>{1, 3};
}
