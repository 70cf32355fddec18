//===- SimplifyReshapes.cpp - simplifies pairs of reshapes ----------------===//

#include "SimplifyReshapes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

static SmallVector<int64_t> withoutOnes(ArrayRef<int64_t> shape) {
  return SmallVector<int64_t>(llvm::make_filter_range(shape, [](int64_t extent) { return extent != 1; }));
}

/// Groups each dimension whose extent is not 1 with the dimensions of extent 1 after it. The first group also contains
/// the leading dimensions of extent 1.
static SmallVector<ReassociationIndices> groupsOf(ArrayRef<int64_t> shape) {
  SmallVector<ReassociationIndices> groups;
  bool isFirst = true;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    if (groups.empty() || (extent != 1 && !isFirst))
      groups.emplace_back();
    isFirst &= extent == 1;
    groups.back().push_back(int64_t(dim));
  }
  return groups;
}

void heddle::simplifyReshapes(func::FuncOp main) {
  for (auto expand : llvm::make_early_inc_range(main.getOps<tensor::ExpandShapeOp>())) {
    auto collapse = expand.getSrc().getDefiningOp<tensor::CollapseShapeOp>();
    if (!collapse)
      continue;
    RankedTensorType from = collapse.getSrcType(), to = expand.getResultType();
    SmallVector<int64_t> shape = withoutOnes(from.getShape());
    if (shape.empty() || shape != withoutOnes(to.getShape()))
      continue;
    OpBuilder b(expand);
    Value value = collapse.getSrc();
    if (size_t(from.getRank()) != shape.size())
      value = tensor::CollapseShapeOp::create(b, expand.getLoc(), from.clone(shape), value, groupsOf(from.getShape()));
    if (size_t(to.getRank()) != shape.size())
      value = tensor::ExpandShapeOp::create(b, expand.getLoc(), to, value, groupsOf(to.getShape()));
    expand.replaceAllUsesWith(value);
    expand.erase();
    if (collapse->use_empty())
      collapse.erase();
  }
}
