//===- TileProduct.td - products of tiles ---------------------------------===//

#ifndef HEDDLE_OPS_TILE_PRODUCT_TD
#define HEDDLE_OPS_TILE_PRODUCT_TD

include "ProductKinds.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// A tensor or a buffer of numbers with one of these ranks.
class Heddle_NumbersOf<list<int> ranks> : AnyTypeOf<[TensorRankOf<[AnySignlessInteger, AnyFloat], ranks>,
                                                     MemRefRankOf<[AnySignlessInteger, AnyFloat], ranks>]>;

def Heddle_TileProductOp : Op<Heddle_Dialect, "tile_product", [Heddle_ChecksConstraints, AlwaysSpeculatable,
    DeclareOpInterfaceMethods<DestinationStyleOpInterface>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "adds the product of a tile of rows and a tile of a weight to a tile of sums";
  let description = [{
    result[i, j] = start[i, j] + sum over s < S and t < T of rows[i, s, t] * weight[s, T x j + t]. The M x N results are
    computed in S steps. T is the depth of the kind: the number of products that a step adds to each sum. If the weight
    is in P panels of Q columns, column j is column j mod Q of panel j div Q. Columns of the weight from N on are not
    read. If the numbers of E steps share an element of the weight, the weight has only S / E lines: line i contains
    the numbers of the steps i, i + S / E, i + 2 x S / E and so on. With `from_zero`, the sums start at 0, and the
    elements of start are not read. The kind is one of the attributes whose names begin with `dot` or `amx`. It defines
    the types of the elements and the arithmetic.

    The operands `prefetch` are lists of cache lines that are prefetched during the product, for example lines of the
    weight that the next product reads. A list has one element of each of these lines. If E is the list's number in
    `every`, step s prefetches the line of element s div E. `locality` selects the cache as in memref.prefetch: 3 is the
    first-level cache, 2 the second, 1 the third; 0 means that the lines are not reused. Prefetches do not change the
    result.

    Lowerings create this operation for operands that are stored in the order in which instructions read them. Stage
    vectorize replaces it if the kind has code for vectors. Vectors must not contain columns of two panels: the number
    of lanes must divide Q. Products of the other kinds, which matrix instructions compute, are bufferized, and pass
    heddle-lower-tile-products replaces them in stage loops. The product of buffers writes its results to start.

    Constraints:
    * (C1) rows is [M, S, T], weight is [S / E, T x W] or [P, S / E, T x Q], and start is [M, N], where N is at most W
      or P x Q. E is the number of steps for each element of the kind's weight; it divides S. All shapes are static,
      and M and N are positive.
    * (C2) The element types of rows, weight and start are those of the kind. If the code of the kind adds products in
      narrower numbers than the sums, S is at most the number of steps that cannot overflow.
    * (C3) `every` has a positive number for each list of `prefetch`. A list whose number is E has at least
      ceil(S / E) elements. `locality` is 0 to 3, and is 3 if there are no lists.
    * (C4) The operands are all tensors, and the result has the type of start; or all are buffers, and there is no
      result.
    * (C5) M, N and S are multiples of the rows, columns and steps of the kind's unit. These are 1 for kinds whose names
      begin with `dot`.

    Example:
    ```mlir
    func.func @example(%rows: tensor<6x8x4xi8>, %weight: tensor<8x64xi8>, %sums: tensor<6x16xi32>,
                       %line: tensor<4xi8>) {
      %0 = heddle.tile_product %rows, %weight into %sums kind(#heddle.dot_bytes<unsigned = rows>)
        prefetch(%line : tensor<4xi8>) every [2] locality 3 : tensor<6x8x4xi8>, tensor<8x64xi8>, tensor<6x16xi32>
      return
    }
    ```
  }];
  let arguments = (ins Heddle_NumbersOf<[3]>:$rows, Heddle_NumbersOf<[2, 3]>:$weight, Heddle_NumbersOf<[2]>:$start,
    Variadic<Heddle_NumbersOf<[1]>>:$prefetched, Heddle_ProductKind:$kind,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$every, DefaultValuedAttr<I64Attr, "3">:$locality,
    UnitAttr:$from_zero);
  let results = (outs Optional<2DTensorOf<[AnySignlessInteger, AnyFloat]>>:$result);
  let assemblyFormat = [{
    $rows `,` $weight `into` $start (`from_zero` $from_zero^)? `kind` `(` $kind `)`
    (`prefetch` `(` $prefetched^ `:` type($prefetched) `)` `every` $every `locality` $locality)?
    attr-dict `:` type($rows) `,` type($weight) `,` type($start) `` custom<ProductResult>(ref(type($start)), type($result))
  }];
  let extraClassDeclaration = [{
    /// Returns the type of the sums, a tensor or a buffer [M, N].
    ::mlir::ShapedType getSumsType() { return ::mlir::cast<::mlir::ShapedType>(getStart().getType()); }
    /// Returns the number of steps (S in the description).
    int64_t getSteps() { return ::mlir::cast<::mlir::ShapedType>(getRows().getType()).getDimSize(1); }
  }];
}

#endif // HEDDLE_OPS_TILE_PRODUCT_TD
