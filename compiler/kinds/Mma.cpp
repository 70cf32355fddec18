//===- Mma.cpp - the code of #heddle.mma ----------------------------------===//

#include "FragmentCode.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

namespace {
struct MmaCode : FragmentCode::ExternalModel<MmaCode, MmaAttr> {
  /// One ldmatrix loads up to four 8 x 8 matrices. A left factor consists of four of them, a right factor of two.
  int64_t getBlocksOfLoad(Attribute, FragmentRole role) const { return role == FragmentRole::Left ? 1 : 2; }

  /// One ldmatrix reads successive rows of a tile.
  int64_t getRowsApart(Attribute, bool) const { return 1; }

  /// Lanes 8 i to 8 i + 7 provide the addresses of the rows of matrix i. The matrices have the order of the registers:
  /// first down, then across. Each row of the tile of a right factor has one index along the depth, but a register of a
  /// lane must contain elements that are neighbours along the depth. The load therefore transposes the factor, unless
  /// the tile is already transposed.
  SmallVector<SmallVector<Value>> emitLoad(Attribute kind, ImplicitLocOpBuilder &b, FragmentRole role,
                                           const FragmentSource &source, int64_t blocks) const {
    int64_t matrices = role == FragmentRole::Left ? 4 : 2 * blocks;
    AffineExpr lane = b.getAffineDimExpr(0), first = b.getAffineDimExpr(1);
    auto index = [&](AffineExpr expr, Value start) -> Value {
      return affine::makeComposedAffineApply(b, b.getLoc(), AffineMap::get(2, 0, first + expr),
                                             {OpFoldResult(source.lane), OpFoldResult(start)});
    };
    // The place in the tile from which a lane reads.
    TileElement place = source.first;
    place.row = index(lane % 16, source.first.row);
    if (matrices == 4)
      place.column = index(8 * lane.floorDiv(16), source.first.column);
    if (source.isTransposed) {
      place.row = index(matrices == 4 ? lane % 8 + 8 * lane.floorDiv(16) : lane % 8, source.first.column);
      place.column = index(8 * (lane.floorDiv(8) % 2), source.first.row);
      std::swap(place.rowShift, place.columnShift);
    }
    auto tile = cast<MemRefType>(source.buffer.getType());
    TileAccess at = emitTileAccess(b, source.buffer, source.rowsApart, place, source.pointers);
    bool transposes = role == FragmentRole::Right && !source.isTransposed;
    Value loaded = nvgpu::LdMatrixOp::create(b, VectorType::get({matrices, 2}, tile.getElementType()), at.buffer,
                                             at.indices, transposes, uint32_t(matrices));
    SmallVector<SmallVector<Value>> elements(blocks);
    for (int64_t i = 0; i < matrices; ++i)
      for (int64_t j = 0; j < 2; ++j)
        elements[i * blocks / matrices].push_back(vector::ExtractOp::create(b, loaded, ArrayRef<int64_t>{i, j}));
    return elements;
  }

  SmallVector<Value> emitProduct(Attribute kind, ImplicitLocOpBuilder &b, ValueRange left, ValueRange right,
                                 ValueRange sums) const {
    bool isHalf = cast<MmaAttr>(kind).getElement().isF16();
    NVVM::MMATypes type = isHalf ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
    auto result = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(4, b.getF32Type()));
    auto added = NVVM::MmaOp::create(b, result, registersOf(b, left), registersOf(b, right), sums,
                                     ArrayRef<int64_t>{16, 8, 16}, std::nullopt, std::nullopt, std::array{type, type},
                                     std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
    SmallVector<Value> results;
    for (int64_t i = 0; i < 4; ++i)
      results.push_back(LLVM::ExtractValueOp::create(b, added.getRes(), i));
    return results;
  }

private:
  /// Returns the registers with these elements. The instruction takes pairs of f16 as vectors, and pairs of bf16 as
  /// words.
  static SmallVector<Value> registersOf(ImplicitLocOpBuilder &b, ValueRange elements) {
    SmallVector<Value> registers;
    for (size_t i = 0; i < elements.size(); i += 2) {
      auto pair = VectorType::get({2}, elements[i].getType());
      Value both = vector::FromElementsOp::create(b, pair, ValueRange{elements[i], elements[i + 1]});
      if (pair.getElementType().isBF16()) {
        both = vector::BitCastOp::create(b, VectorType::get({1}, b.getI32Type()), both);
        both = vector::ExtractOp::create(b, both, int64_t(0));
      }
      registers.push_back(both);
    }
    return registers;
  }
};
} // namespace

void heddle::registerMmaCode(MLIRContext *context) { MmaAttr::attachInterface<MmaCode>(*context); }
