//===- Fma.cpp - the code of #heddle.fma ----------------------------------===//

#include "FragmentCode.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

namespace {
struct FmaCode : FragmentCode::ExternalModel<FmaCode, FmaAttr> {
  /// A transposed tile is swizzled: neighbouring lanes read rows whose indices differ by four. Other tiles are
  /// row-major (the result is 0), because a swizzled tile would need more registers for addresses.
  int64_t getRowsApart(Attribute, bool isTransposed) const { return isTransposed ? edge : 0; }

  SmallVector<SmallVector<Value>> emitLoad(Attribute kind, ImplicitLocOpBuilder &b, FragmentRole role,
                                           const FragmentSource &source, int64_t) const {
    auto fma = cast<FmaAttr>(kind);
    if (source.isTransposed)
      return {loadTransposed(fma, b, source)};
    AffineMap layout = fma.getLayout(role);
    AffineExpr first = b.getAffineDimExpr(1); // the row or column at which the factor begins
    int64_t width = fma.getWidth();
    auto type = VectorType::get({width}, fma.getElement());
    AffineMap ofLane = layout.replace(b.getAffineDimExpr(1), b.getAffineConstantExpr(0), 1, 0); // the first element
    auto index = [&](unsigned dim, Value start) -> Value {
      AffineMap map = AffineMap::get(2, 0, ofLane.getResult(dim) + first);
      return affine::makeComposedAffineApply(b, b.getLoc(), map, {OpFoldResult(source.lane), OpFoldResult(start)});
    };
    Value row = index(0, source.first.row), column = index(1, source.first.column);
    SmallVector<Value> elements;
    for (int64_t element = 0; element < fma.getCount(role); element += width) {
      // The distance of an element from the lane's first element is the same in all lanes.
      auto start = layout.compose({0, 0}), end = layout.compose({0, element});
      TileElement place = {row, column, source.first.rowShift + end[0] - start[0],
                           source.first.columnShift + end[1] - start[1]};
      TileAccess at = emitTileAccess(b, source.buffer, source.rowsApart, place, source.pointers);
      Value vector = vector::LoadOp::create(b, type, at.buffer, at.indices);
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

private:
  static constexpr int64_t edge = 4; // the extents of the product that one lane computes

  /// Returns a lane's elements of a right factor, 4 columns of 4 elements. The columns are rows of the tile, and their
  /// elements are adjacent. Of these rows, `width` are adjacent, too. In these rows, chunks with the same index are at
  /// the same position, because the permutation changes only every `rowsApart` = 4 rows and the first row is a multiple
  /// of `width`.
  static SmallVector<Value> loadTransposed(FmaAttr kind, ImplicitLocOpBuilder &b, const FragmentSource &source) {
    auto shifted = [&](AffineExpr by, ArrayRef<OpFoldResult> operands) -> Value {
      return affine::makeComposedAffineApply(b, b.getLoc(), AffineMap::get(operands.size(), 0, by), operands);
    };
    AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
    AffineExpr columnOf = kind.getLayout(FragmentRole::Right).getResult(1);
    int64_t width = kind.getWidth();
    auto type = VectorType::get({width}, kind.getElement());
    SmallVector<Value> elements(edge * edge);
    for (int64_t start = 0; start < edge; start += width)
      for (int64_t group = 0; group < edge; group += width) {
        AffineExpr first = columnOf.replaceDims({d0, b.getAffineConstantExpr(group)});
        TileElement place = {shifted(first + d1, {source.lane, source.first.column}), source.first.row,
                             source.first.columnShift, source.first.rowShift + start};
        TileAccess at = emitTileAccess(b, source.buffer, source.rowsApart, place, source.pointers);
        for (int64_t column = 0; column < width; ++column) {
          Value row = shifted(d0 + column, {at.indices[0]});
          Value vector = vector::LoadOp::create(b, type, at.buffer, ValueRange{row, at.indices[1]});
          for (int64_t i = 0; i < width; ++i)
            elements[edge * (start + i) + group + column] = vector::ExtractOp::create(b, vector, i);
        }
      }
    return elements;
  }
};
} // namespace

void heddle::registerFmaCode(MLIRContext *context) { FmaAttr::attachInterface<FmaCode>(*context); }
