//===- TilePlaces.td - where the tiles of a workgroup lie -----------------===//

#ifndef HEDDLE_TILE_PLACES_TD
#define HEDDLE_TILE_PLACES_TD

include "HeddleBase.td"
include "FragmentKind.td"

def Heddle_Workgroup : AttrDef<Heddle_Dialect, "Workgroup"> {
  let mnemonic = "workgroup";
  let summary = "the memory space of a tile in the memory that the threads of a workgroup share";
  let description = [{
    A tile is a matrix that all threads of a workgroup read and write together: operations on it are collective, and do
    not refer to single threads. Its memory space is given at `bufferization.alloc_tensor`, and bufferization keeps it
    in the type of the buffer. Pass heddle-tiles-to-lanes distributes the operations on tiles over the lanes of warps.

    The order of the elements in memory is decided by this pass: a tile is swizzled if the kind of fragments of the
    product that reads it requires this and its rows consist of an even number of chunks of 16 bytes (TileMemory.h).
  }];
}

def Heddle_Fragments : AttrDef<Heddle_Dialect, "Fragments"> {
  let mnemonic = "fragments";
  let summary = "the memory space of a tile in the registers of a workgroup";
  let description = [{
    The tile is cut into `warpRows` x `warpColumns` equal parts, one for each warp of the workgroup, in row-major order
    of the warps. A warp's part consists of blocks of m x n elements, the shape of the sum of one product of the kind.
    The kind's layout determines which elements of a block each lane has. So the number of rows of a tile is a multiple
    of `warpRows` x m, and the number of columns a multiple of `warpColumns` x n.

    A tensor of rank 1 in this memory space has one element for each row of such a tile, for example the sum of the row.
    Each lane that has elements of a row has the row's element, too.

    The verifier checks the layouts of the kind for all lanes: each element lies in the matrix, each element of the sum
    is in exactly one lane, and each element of the factors is in at least one lane.
  }];
  let parameters = (ins "::heddle::FragmentKind":$kind, "int64_t":$warpRows, "int64_t":$warpColumns);
  let assemblyFormat = "`<` $kind `,` $warpRows `x` $warpColumns `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The maximum number of warps of a workgroup.
    static constexpr int64_t maxWarps = 32;
    /// Returns whether a tile of this shape can be cut into whole blocks of the kind. A shape of rank 1 is that of a
    /// tensor with one element for each row of a tile.
    bool divides(::llvm::ArrayRef<int64_t> shape);
    /// Returns the number of threads of the workgroup.
    int64_t countThreads() { return FragmentKind::lanes * getWarpRows() * getWarpColumns(); }
  }];
}

def Heddle_Fma : AttrDef<Heddle_Dialect, "Fma", [DeclareAttrInterfaceMethods<Heddle_FragmentKind>]> {
  let mnemonic = "fma";
  let summary = "fragments for scalar multiply-adds of f32 or f64";
  let description = [{
    A product has 16 x 32 sums and a depth of 4. The lanes are in 4 rows of 8. Each lane has 4 x 4 sums, and the rows
    and columns of the factors to which its sums belong. The 4 rows of a lane are neighbours. Of its 4 columns, as many
    are neighbours as a lane accesses at once, in 128 bits: 4 of f32, or 2 of f64. In each access to a row, the 8 lanes
    that share this row thus access contiguous memory.
  }];
  let parameters = (ins "::mlir::Type":$element);
  let assemblyFormat = "`<` $element `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Returns the number of neighbouring elements that a lane accesses at once.
    int64_t getWidth() const { return FragmentKind::widestAccess / getElement().getIntOrFloatBitWidth(); }
  }];
}

def Heddle_Mma : AttrDef<Heddle_Dialect, "Mma", [DeclareAttrInterfaceMethods<Heddle_FragmentKind>]> {
  let mnemonic = "mma";
  let summary = "fragments for the matrix instruction mma.sync, whose factors are bf16 or f16";
  let description = [{
    A product has 16 x 8 sums of f32 and a depth of 16. The layouts are those that the PTX ISA defines for mma.m16n8k16:
    each register of a lane has two neighbouring elements of a row of the sums or of the left factor, or of a column of
    the right factor.
  }];
  let parameters = (ins "::mlir::Type":$element);
  let assemblyFormat = "`<` $element `>`";
  let genVerifyDecl = 1;
}

def Heddle_Rows : AttrDef<Heddle_Dialect, "Rows", [DeclareAttrInterfaceMethods<Heddle_FragmentKind>]> {
  let mnemonic = "rows";
  let summary = "fragments for sums and maxima along rows";
  let description = [{
    This kind has no product. In a block, `lanes` lanes share each row, and each of them has `width` neighbouring
    elements of it. A block of #heddle.rows<f32, 32 x 4> is a row of 128 elements, and one of #heddle.rows<f32, 8 x 4>
    consists of 4 rows of 32 elements. The lanes that share a row access contiguous memory when each of them loads or
    stores `width` elements.
  }];
  let parameters = (ins "::mlir::Type":$element, "int64_t":$lanes, "int64_t":$width);
  let assemblyFormat = "`<` $element `,` $lanes `x` $width `>`";
  let genVerifyDecl = 1;
}

#endif // HEDDLE_TILE_PLACES_TD
