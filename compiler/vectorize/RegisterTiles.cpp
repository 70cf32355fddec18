//===- RegisterTiles.cpp - tiles kept in registers between ops ------------===//

#include "RegisterTiles.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

/// Returns the indices as numbers if all of them are constants.
static std::optional<std::vector<int64_t>> keyOf(VectorBuilder::Indices at) {
  std::vector<int64_t> key;
  for (OpFoldResult index : at) {
    std::optional<int64_t> constant = getConstantIntValue(index);
    if (!constant)
      return std::nullopt;
    key.push_back(*constant);
  }
  return key;
}

void RegisterTile::record(VectorBuilder::Indices at, Value part, bool isScalar) {
  if (std::optional<std::vector<int64_t>> key = keyOf(at)) {
    scalar = isScalar;
    parts[*key] = part;
  }
}

void RegisterTiles::add(Value tensor, RegisterTile tile) {
  if (tile.parts.empty())
    return;
  tile.block = block;
  tiles[tensor] = std::move(tile);
}

const RegisterTile *RegisterTiles::find(Value tensor, std::vector<int64_t> *offsets) const {
  while (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>()) {
    std::optional<std::vector<int64_t>> begin = keyOf(slice.getMixedOffsets());
    if (!begin || !slice.hasUnitStride() || slice.getType().getRank() != slice.getSourceType().getRank())
      return nullptr;
    for (size_t d = 0; offsets && d < begin->size(); ++d)
      (*offsets)[d] += (*begin)[d];
    tensor = slice.getSource();
  }
  auto found = tiles.find(tensor);
  return found == tiles.end() || found->second.block != block ? nullptr : &found->second;
}

/// Returns the element, or the vector that starts at the indices, if it is in registers; null otherwise.
Value RegisterTiles::part(Value tensor, VectorBuilder::Indices at, bool vector) {
  std::optional<std::vector<int64_t>> key = keyOf(at);
  const RegisterTile *tile = key ? find(tensor, &*key) : nullptr;
  if (!tile)
    return nullptr;
  if (tile->scalar || key->empty()) {
    auto part = tile->parts.find(*key);
    return part == tile->parts.end() || vector ? Value() : part->second;
  }
  int64_t lane = key->back() % lanes;
  key->back() -= lane;
  auto part = tile->parts.find(*key);
  if (part == tile->parts.end() || (vector && lane))
    return nullptr;
  return vector ? part->second : Value(vector::ExtractOp::create(b, part->second, lane));
}

Value RegisterTiles::element(Value tensor, VectorBuilder::Indices at) {
  Value known = part(tensor, at, /*vector=*/false);
  return known ? known : ElementSource::element(tensor, at);
}

Value RegisterTiles::vector(Value tensor, VectorBuilder::Indices at, int64_t width, int64_t valid) {
  Value known = part(tensor, at, /*vector=*/true);
  return known ? b.resized(known, width) : ElementSource::vector(tensor, at, width, valid);
}
