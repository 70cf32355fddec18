//===- StoredGroups.cpp - groups of a weight that share a scale -----------===//

#include "StoredGroups.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace heddle;

/// The maximum number of products whose sum fits into an i32. The magnitude of a product is at most 255 x 128.
static constexpr int64_t longestContraction = (int64_t(1) << 31) / (255 * 128);

std::string heddle::whyNoSums(int64_t k) {
  if (k > longestContraction)
    return llvm::formatv("can sum up at most {0} products in i32, found {1}", longestContraction, k);
  return "";
}

std::string heddle::whyNoGroups(DequantizeOp weight, RowRoundingAttr rounding) {
  int64_t k = cast<RankedTensorType>(weight.getType()).getDimSize(0), block = rounding.getBlock();
  int64_t group = weight.getBlock()[0];
  if (!weight.getMinima() && (!block || group == block))
    return "";
  if (!block || !rounding.isUnsigned() || k % group)
    return "supports minima of the weight, and several scales for the rows of a block, only if rows have blocks of "
           "unsigned integers and all groups of the weight are whole";
  return whyNoSums(k);
}
