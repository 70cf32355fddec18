//===- RegisterTiles.h - tiles that go from op to op in registers -*- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_REGISTERTILES_H
#define HEDDLE_VECTORIZE_REGISTERTILES_H

#include "LaneBody.h"

#include <map>

namespace heddle {

/// Values of one tile that are in registers, by the index of their first element.
struct RegisterTile {
  mlir::Block *block = nullptr;
  bool scalar = false;
  std::map<std::vector<int64_t>, mlir::Value> parts;

  /// Notes a part whose place is known.
  void record(VectorBuilder::Indices at, mlir::Value part, bool isScalar);
};

/// Elements of tensors: those of register tiles of the block that is written to, others in memory.
class RegisterTiles : public ElementSource {
public:
  RegisterTiles(VectorBuilder &b, int64_t lanes) : ElementSource(b), lanes(lanes) {}

  /// Where code is written next: tiles of other blocks are not in registers there.
  void enter(mlir::Block *current) { block = current; }
  void add(mlir::Value tensor, RegisterTile tile);
  /// The tile that is in registers, or the one of which `tensor` is a part whose place is known: where it begins is
  /// added to `offsets`, one for each dimension.
  const RegisterTile *find(mlir::Value tensor, std::vector<int64_t> *offsets = nullptr) const;

  mlir::Value element(mlir::Value tensor, VectorBuilder::Indices at) override;
  mlir::Value vector(mlir::Value tensor, VectorBuilder::Indices at, int64_t width, int64_t valid) override;

private:
  mlir::Value part(mlir::Value tensor, VectorBuilder::Indices at, bool vector);

  int64_t lanes;
  mlir::Block *block = nullptr;
  llvm::DenseMap<mlir::Value, RegisterTile> tiles;
};

} // namespace heddle

#endif // HEDDLE_VECTORIZE_REGISTERTILES_H
