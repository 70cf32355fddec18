//===- RegisterTiles.h - tiles kept in registers between ops ----*- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_REGISTERTILES_H
#define HEDDLE_VECTORIZE_REGISTERTILES_H

#include "LaneBody.h"

#include <map>

namespace heddle {

/// The values of one tile of a tensor that are in registers.
struct RegisterTile {
  mlir::Block *block = nullptr; // the block that defines the values
  bool scalar = false;          // whether the values are scalars instead of vectors
  std::map<std::vector<int64_t>, mlir::Value> parts; // by the indices of their first elements

  /// Adds a scalar or vector whose first element has the indices `at`, if all indices are constants.
  void record(VectorBuilder::Indices at, mlir::Value part, bool isScalar);
};

/// Reads elements of tensors. Elements of a register tile that was defined in the current block come from registers,
/// all others from memory.
class RegisterTiles : public ElementSource {
public:
  RegisterTiles(VectorBuilder &b, int64_t lanes) : ElementSource(b), lanes(lanes) {}

  /// Sets the block in which code is emitted next. Register tiles of other blocks are then not available.
  void enter(mlir::Block *current) { block = current; }
  /// Adds the register tile of `tensor`, which was defined in the current block.
  void add(mlir::Value tensor, RegisterTile tile);
  /// Returns the register tile of `tensor`, or of the tensor that `tensor` is a slice of at constant offsets; null if
  /// there is none. The offsets of the slice are added to `offsets`, one per dimension.
  const RegisterTile *find(mlir::Value tensor, std::vector<int64_t> *offsets = nullptr) const;

  mlir::Value element(mlir::Value tensor, VectorBuilder::Indices at) override;
  mlir::Value vector(mlir::Value tensor, VectorBuilder::Indices at, int64_t width, int64_t valid) override;

private:
  mlir::Value part(mlir::Value tensor, VectorBuilder::Indices at, bool vector);

  int64_t lanes; // the number of lanes of a vector
  mlir::Block *block = nullptr; // the current block; null before enter()
  llvm::DenseMap<mlir::Value, RegisterTile> tiles;
};

} // namespace heddle

#endif // HEDDLE_VECTORIZE_REGISTERTILES_H
