//===- LaneCode.h - the code of each lane for tiles -------------*- C++ -*-===//

#ifndef HEDDLE_TILES_LANECODE_H
#define HEDDLE_TILES_LANECODE_H

#include "FragmentLayout.h"
#include "GlobalPart.h"
#include "LaneBarriers.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace heddle {

class ElementCode;
class RowReductions;
struct ElementOperand;

/// Emits a conversion of a float, or of a vector of floats, to elements of type `element`.
mlir::Value emitConverted(mlir::ImplicitLocOpBuilder &b, mlir::Value value, mlir::Type element);

/// Returns the order of the elements of a tile in workgroup memory: the number `rowsApart` of emitTileIndices
/// (kinds/TileMemory.h) that suits the products that read the tile, or 0 (row-major) if no product reads it.
int64_t findRowsApart(mlir::Value tile);

/// The facts of a workgroup on which the code of its lanes depends.
struct LaneFacts {
  int64_t threads; // the number of threads of the workgroup
  bool shuffles;   // whether the lanes of a warp exchange values by gpu.shuffle; if not, workgroup memory is used
  bool pointers;   // whether a view may begin inside a buffer, so that accesses to the view share its address; if not,
                   // each access has the indices of its element in the buffer
};

/// Replaces the operations on tiles in a kernel by the code of each lane. A tile in registers becomes a private buffer
/// of each lane's elements, which is accessed at constant indices only. Private functions are documented in
/// TilesToLanes.cpp, LaneCopies.cpp, LaneLoads.cpp, LaneProducts.cpp and LaneGenerics.cpp.
class LaneCode {
public:
  LaneCode(mlir::gpu::GPUFuncOp kernel, const LaneFacts &facts);
  mlir::LogicalResult run();

  /// Returns the number of registers per thread for which the code of the lanes is to be compiled. Must be called after
  /// `run`.
  int64_t countRegisters() const;

  /// Emits an scf.if and returns its result: the value that `then` emits, or zero. If `type` is null, `then` emits code
  /// without a result. If `condition` is null, emits only the code of `then`.
  mlir::Value emitIf(mlir::Value condition, mlir::Type type, llvm::function_ref<mlir::Value()> then);
  /// Emits a private buffer of each lane. LLVM turns it into registers if it is accessed at constant indices only.
  mlir::Value emitPrivate(int64_t count, mlir::Type element);

private:
  mlir::LogicalResult convert(mlir::Operation *op);
  mlir::LogicalResult convertBlock(mlir::Block &block);
  mlir::LogicalResult convertRegions(mlir::Operation &op);
  mlir::LogicalResult allocate(mlir::memref::AllocOp alloc);
  mlir::LogicalResult fill(mlir::linalg::FillOp op);
  mlir::LogicalResult copy(TileCopyOp op);
  mlir::LogicalResult copyToRegisters(TileCopyOp op);
  mlir::LogicalResult product(mlir::linalg::MatmulOp op);
  mlir::LogicalResult generic(mlir::linalg::GenericOp op);
  mlir::LogicalResult genericOfRows(mlir::linalg::GenericOp op);

  mlir::Value findWorkgroupTile(mlir::Value value);
  void wait(TileWaitOp op);

  /// Elements that an async copy has loaded into registers. The lanes store them into the copy's tile at the end of the
  /// loop's step.
  struct LoadedCopy {
    TileCopyOp op;
    mlir::Block *step;                          // the body of the loop
    int64_t width;                              // the number of elements of a chunk
    llvm::SmallVector<mlir::Value> chunks;      // for each chunk of the lane, a private buffer of its elements
  };
  void storeLoaded(mlir::Block &step);

  mlir::Value constant(int64_t value);
  mlir::Value load(mlir::Value registers, int64_t element);
  void store(mlir::Value value, mlir::Value registers, int64_t element);
  void emitGuarded(mlir::Value condition, llvm::MutableArrayRef<llvm::SmallVector<mlir::Value>> carried,
                   llvm::function_ref<void()> then);

  /// An operand that is a tile in registers or a part of one: the layout of the tile, the private buffer of the lane's
  /// elements, and the size of the part.
  struct Fragment {
    FragmentLayout layout;
    mlir::Value registers;
    mlir::OpFoldResult rows, columns; // the size of the part, which begins at the tile's first element
    /// Returns whether the part is the whole tile.
    bool isWhole() const {
      return mlir::isConstantIntValue(rows, layout.getRows()) && mlir::isConstantIntValue(columns, layout.getColumns());
    }
  };
  mlir::FailureOr<Fragment> findFragment(mlir::Operation *op, mlir::Value value);
  /// The left factors of a product that lie in registers.
  struct LeftFactors {
    Fragment fragment;
    llvm::SmallVector<ElementPlace> places;
    /// If the elements of each lane in a tile are those of left factors of the tile's kind, returns them.
    static std::optional<LeftFactors> of(const Fragment &tile);
    /// Adds the factors along each row to `totals`, the registers of a tensor with one element for each row.
    void addTo(mlir::ImplicitLocOpBuilder &b, mlir::Value totals) const;
  };
  mlir::FailureOr<LeftFactors> findLeftInRegisters(mlir::linalg::MatmulOp op, const Fragment &sums);
  mlir::LogicalResult findOperands(mlir::linalg::GenericOp op, llvm::SmallVectorImpl<ElementOperand> &operands,
                                   std::optional<Fragment> &tile);
  void exchange(mlir::linalg::GenericOp op, const RowReductions &reductions, const FragmentLayout &layout,
                llvm::ArrayRef<mlir::Value> rows, llvm::MutableArrayRef<llvm::SmallVector<mlir::Value>> results);

  mlir::gpu::GPUFuncOp kernel;
  mlir::ImplicitLocOpBuilder b;
  LaneFacts facts;
  mlir::Value thread;
  llvm::DenseMap<mlir::Value, mlir::Value> registers; // for each tile in registers, the private buffer
  LaneBarriers barriers;
  int64_t elementRegisters = 0;   // the number of registers of 32 bits for the elements of tiles that each lane has
  bool isCopiedByElement = false; // whether lanes copy any tile element by element instead of in vectors
  // Whether copies into workgroup memory need registers for more than addresses: for the numbers of valid rows and
  // columns, or for elements that lanes hold during the products of a step.
  bool copyHoldsRegisters = false;
  llvm::SmallVector<mlir::memref::AllocOp> shared; // the tiles in workgroup memory
  llvm::DenseMap<mlir::Type, mlir::Value> exchanged; // the buffers for results that lanes exchange, by type
  llvm::SmallVector<LoadedCopy> loaded;            // the copies whose elements are not stored yet
  llvm::SmallVector<mlir::Operation *> replaced;
};

} // namespace heddle

#endif // HEDDLE_TILES_LANECODE_H
