//===- TileStages.td - order async copies of tiles ------------------------===//

#ifndef HEDDLE_OPS_TILE_STAGES_TD
#define HEDDLE_OPS_TILE_STAGES_TD

include "HeddleBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Heddle_TileCommitOp : Op<Heddle_Dialect, "tile_commit", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "ends a group of async copies of tiles";
  let description = [{
    All copies `heddle.tile_copy async` since the preceding `heddle.tile_commit` form a group, which may be empty.
    `heddle.tile_wait` waits for groups. The operation computes nothing.

    Pass heddle-pipeline-tiles creates this operation, and pass heddle-tiles-to-lanes replaces it.

    Example:
    ```mlir
    func.func @example(%x: memref<128x64xf32>, %tile: memref<128x16xf32, #heddle.workgroup>, %column: index) {
      %c0 = arith.constant 0 : index
      heddle.tile_copy async %x[%c0, %column] into %tile : memref<128x64xf32>, memref<128x16xf32, #heddle.workgroup>
      heddle.tile_commit
      heddle.tile_wait pending(0)
      return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Heddle_TileWaitOp
    : Op<Heddle_Dialect, "tile_wait", [Heddle_ChecksConstraints, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until groups of async copies of tiles are complete";
  let description = [{
    Waits until all groups that `heddle.tile_commit` ended are complete, except for the last `pending` of them, and
    until all threads of the workgroup have executed the operations before this one. After this operation, all threads
    may read the tiles of the completed groups, and copies may write to tiles that were read before it. The operation
    computes nothing.

    Pass heddle-pipeline-tiles creates this operation, and pass heddle-tiles-to-lanes replaces it by a wait and a
    barrier.

    Constraints:
    * (C1) `pending` is from 0 to 2^31 - 1.

    Example:
    ```mlir
    func.func @example() {
      heddle.tile_wait pending(1)
      return
    }
    ```
  }];
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "`pending` `(` $pending `)` attr-dict";
}

#endif // HEDDLE_OPS_TILE_STAGES_TD
