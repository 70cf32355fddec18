//===- Fma.cpp - the code of #heddle.fma ----------------------------------===//

#include "FragmentCode.h"
#include "TileMemory.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

namespace {
struct FmaCode : FragmentCode::ExternalModel<FmaCode, FmaAttr> {
  SmallVector<SmallVector<Value>> emitLoad(Attribute kind, ImplicitLocOpBuilder &b, FragmentRole role,
                                           const FragmentSource &source, int64_t) const {
    auto fma = cast<FmaAttr>(kind);
    AffineMap layout = fma.getLayout(role);
    AffineExpr first = b.getAffineDimExpr(1); // the row or column at which the factor begins
    int64_t width = fma.getWidth();
    auto tile = cast<MemRefType>(source.buffer.getType());
    auto type = VectorType::get({width}, fma.getElement());
    SmallVector<Value> elements;
    for (int64_t element = 0; element < fma.getCount(role); element += width) {
      AffineMap at = layout.replace(b.getAffineDimExpr(1), b.getAffineConstantExpr(element), 1, 0);
      auto index = [&](unsigned dim, Value start) -> Value {
        AffineMap map = AffineMap::get(2, 0, at.getResult(dim) + first);
        return affine::makeComposedAffineApply(b, b.getLoc(), map, {OpFoldResult(source.lane), OpFoldResult(start)});
      };
      Value row = index(0, source.row), column = index(1, source.column);
      Value vector = vector::LoadOp::create(b, type, source.buffer, emitTileIndices(b, tile, row, column));
      for (int64_t i = 0; i < width; ++i)
        elements.push_back(vector::ExtractOp::create(b, vector, i));
    }
    return {elements};
  }

  SmallVector<Value> emitProduct(Attribute kind, ImplicitLocOpBuilder &b, ValueRange left, ValueRange right,
                                 ValueRange sums) const {
    constexpr int64_t rows = 4, columns = 4, depth = 4; // of the product that one lane computes
    SmallVector<Value> results(sums);
    for (int64_t k = 0; k < depth; ++k)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) {
          Value &sum = results[columns * i + j];
          sum = math::FmaOp::create(b, left[depth * i + k], right[columns * k + j], sum);
        }
    return results;
  }
};
} // namespace

void heddle::registerFmaCode(MLIRContext *context) { FmaAttr::attachInterface<FmaCode>(*context); }
