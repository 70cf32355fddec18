//===- TileCopy.td - fills a tile with a part of a matrix -----------------===//

#ifndef HEDDLE_OPS_TILE_COPY_TD
#define HEDDLE_OPS_TILE_COPY_TD

include "TilePlaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"

/// A matrix: a tensor or a buffer of rank 2.
def Heddle_Matrix : AnyTypeOf<[2DTensorOf<[Heddle_Float]>, MemRefRankOf<[Heddle_Float], [2]>]>;

def Heddle_TileCopyOp : Op<Heddle_Dialect, "tile_copy", [Heddle_ChecksConstraints, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<DestinationStyleOpInterface>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "copies a part of a matrix into a tile, and fills the rest of the tile with zeros";
  let description = [{
    tile[i, j] = source[row + i, column + j] if i < rows and j < columns, else 0, where (row, column) is the position in
    brackets, and (rows, columns) are the operands of `valid`, or the extents of the tile if there are none. The part
    that is copied must lie in the source. Elements are converted to the type of the tile: widened, or rounded to the
    nearest number, ties to even.

    All threads of a workgroup copy the tile together; after bufferization the tile lies in `#heddle.workgroup` or in
    `#heddle.fragments`.
    Strategies create this operation, and pass heddle-tiles-to-lanes replaces it.

    A copy that is `async` belongs to the group of copies that the next `heddle.tile_commit` ends. It may take place at
    any time until a `heddle.tile_wait` has waited for this group. Until then, no other operation may access the tile,
    and the source must not change. A `heddle.tile_wait` must also lie between earlier accesses to the tile and the
    copy. Pass heddle-pipeline-tiles makes copies async.

    Constraints:
    * (C1) source and tile are both tensors or both buffers. The result has the type of the tile if that is a tensor;
      otherwise there is no result.
    * (C2) the shape of the tile is static, and no extent is 0.
    * (C3) there are two indices, and two operands of `valid` or none.
    * (C4) an async copy is between buffers.

    Example:
    ```mlir
    func.func @example(%x: tensor<200x64xf32>, %row: index, %column: index, %rows: index, %columns: index) {
      %tile = bufferization.alloc_tensor() {memory_space = #heddle.workgroup} : tensor<128x16xf32>
      %0 = heddle.tile_copy %x[%row, %column] valid(%rows, %columns) into %tile
        : tensor<200x64xf32>, tensor<128x16xf32> -> tensor<128x16xf32>
      return
    }
    ```
  }];
  let arguments = (ins Heddle_Matrix:$source, Variadic<Index>:$indices, Variadic<Index>:$valid, Heddle_Matrix:$tile,
                       UnitAttr:$async);
  let results = (outs Optional<2DTensorOf<[Heddle_Float]>>:$result);
  let assemblyFormat = [{
    (`async` $async^)? $source `[` $indices `]` (`valid` `(` $valid^ `)`)? `into` $tile attr-dict
    `:` type($source) `,` type($tile) (`->` type($result)^)?
  }];
}

#endif // HEDDLE_OPS_TILE_COPY_TD
