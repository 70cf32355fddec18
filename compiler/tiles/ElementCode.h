//===- ElementCode.h - the body of an operation on tiles --------*- C++ -*-===//

#ifndef HEDDLE_TILES_ELEMENTCODE_H
#define HEDDLE_TILES_ELEMENTCODE_H

#include "LaneCode.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace heddle {

/// An operand of a linalg.generic on tiles: a tensor in registers, a part of global memory, a tile in workgroup memory,
/// or a scalar. The operation has at least one operand that is a tile in registers. Its two loops are the rows and the
/// columns of this tile.
struct ElementOperand {
  mlir::Value value;
  mlir::AffineMap map;
  mlir::Value registers;    // for a tensor in registers: the private buffer of the lane's elements; else null
  GlobalPart global;        // for a buffer in global or workgroup memory; for other operands, `global.buffer` is null
  int64_t rowsApart = 0;    // for a tile in workgroup memory: the argument `rowsApart` of emitTileIndices in
                            // kinds/TileMemory.h, which selects the order of the tile's elements; 0: row-major
  bool isWide = false;      // whether neighbouring elements of a row are accessed at once
  bool isReduction = false; // whether this is an output with one element for each row

  /// Returns whether all elements of a row use the same element of the operand.
  bool isOfRow() const { return !map.isFunctionOfDim(1); }
  /// Returns whether this is in global or workgroup memory and all elements of a column use the same element of it.
  bool isOfColumn() const { return global.buffer && map.isFunctionOfDim(1) && !map.isFunctionOfDim(0); }
};

/// Maps the numbers of some operands to the elements of these operands at adjacent positions of a row.
using Elements = llvm::DenseMap<unsigned, llvm::SmallVector<mlir::Value>>;

/// Adjacent elements of a row that are accessed at once. Other rows may have chunks in the same columns. The part of a
/// tile in registers that belongs to a warp is divided into blocks (FragmentLayout.h); each has the shape of the sum of
/// one product of the kind of fragments. `across` is the index of the chunk's block in its row of blocks. `element` is
/// the index of the chunk's first element among the elements that the lane has of this block.
struct ElementChunk {
  int64_t across, element; // the indices of the block and of the first element, as described above
  mlir::Value column;      // the column of the first element
  mlir::Value exists;      // whether the lane has these columns; null if they exist in every lane
  Elements known;          // operands that are the same in all rows, if they are already loaded
};

/// The values that all elements of a row share.
struct ElementRow {
  mlir::Value index;      // the index of the row in the tile
  mlir::IRMapping values; // the values of the body that beginRow has emitted
};

/// Emits the body of one linalg.generic for elements of a lane.
class ElementCode {
public:
  /// The code accesses `width` adjacent elements at once.
  ElementCode(mlir::ImplicitLocOpBuilder &b, mlir::linalg::GenericOp op, llvm::SmallVector<ElementOperand> operands,
              int64_t width)
      : b(b), op(op), operands(std::move(operands)), width(width) {}

  int64_t getWidth() const { return width; }
  /// Returns the number of operands that are the same in all rows.
  int64_t countOfColumn();

  /// Loads the elements of operands that are the same in all rows, for the chunk that begins at `column`. If `exists`
  /// is not null, and false at run time, the elements are zeros instead.
  Elements loadOfColumn(LaneCode &code, mlir::Value column, mlir::Value exists);
  /// Emits the code that all elements of a row share: reads of operands with one element for each row, and operations
  /// on these elements. `number` is the index of the row's element in the registers of tensors of rank 1. If `exists`
  /// is not null, and false at run time, zeros replace the row's elements in memory.
  ElementRow beginRow(LaneCode &code, mlir::Value row, int64_t number, mlir::Value exists);
  /// Emits the rest of the body for a chunk of the row; `element` is the index of its first element in registers.
  /// `sums` contains several partial results of each reduction along the row. Successive elements are added to
  /// different partial results, so that few additions depend on each other.
  void emit(const ElementRow &row, const ElementChunk &chunk, int64_t element,
            llvm::MutableArrayRef<llvm::SmallVector<mlir::Value>> sums);

private:
  bool isRead(unsigned operand) { return !op.getBody()->getArgument(operand).use_empty(); }
  llvm::SmallVector<mlir::Value> indices(const ElementOperand &operand, mlir::Value row, mlir::Value column);
  llvm::SmallVector<mlir::Value> read(const ElementOperand &operand, mlir::Value row, mlir::Value column,
                                      int64_t element, int64_t count);
  void write(const ElementOperand &operand, mlir::Value row, mlir::Value column, int64_t element,
             llvm::ArrayRef<mlir::Value> values);
  llvm::SmallVector<mlir::Value> roundedTogether(llvm::ArrayRef<mlir::Value> values);
  mlir::Value shifted(mlir::Value column, int64_t by);

  mlir::ImplicitLocOpBuilder &b;
  mlir::linalg::GenericOp op;
  llvm::SmallVector<ElementOperand> operands;
  int64_t width;
  llvm::SmallPtrSet<mlir::Operation *, 8> emitted; // the operations of the body that beginRow emits
};

} // namespace heddle

#endif // HEDDLE_TILES_ELEMENTCODE_H
