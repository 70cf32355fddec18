//===- AttentionRegion.cpp - evaluation of attention regions --------------===//

#include "reference/AttentionRegion.h"

using namespace mlir;
using namespace heddle;

int64_t heddle::broadcastOffset(const Tensor &tensor, ArrayRef<int64_t> index) {
  int64_t offset = 0;
  ArrayRef<int64_t> last = index.take_back(tensor.rank());
  for (int64_t i = 0; i < tensor.rank(); ++i)
    offset = offset * tensor.dim(i) + (tensor.dim(i) == 1 ? 0 : last[i]);
  return offset;
}

FailureOr<AttentionRegion> AttentionRegion::decode(Region &region, ArrayRef<Tensor> reads, Evaluator &evaluator) {
  AttentionRegion result;
  if (region.empty())
    return result;
  FailureOr<ElementProgram> program = ElementProgram::decode(region.front(), evaluator);
  if (failed(program))
    return failure();
  result.program = std::move(*program);
  result.reads = reads;
  return result;
}

void AttentionRegion::fill(ArrayRef<int64_t> first, int64_t count) const {
  for (int64_t dim = 0; dim < 4; ++dim)
    for (int64_t i = 0; i < count; ++i)
      program->argument(1 + dim).ints[i] = first[dim] + (dim == 3 ? i : 0);
  for (auto [number, tensor] : llvm::enumerate(reads)) {
    Column column = program->argument(5 + number);
    for (int64_t i = 0; i < count; ++i) {
      int64_t offset = broadcastOffset(tensor, {first[0], first[1], first[2], first[3] + i});
      if (tensor.isFloat())
        column.floats[i] = tensor.floats()[offset];
      else
        column.ints[i] = tensor.ints()[offset];
    }
  }
}
