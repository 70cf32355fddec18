//===- TileProduct.td - products of tiles ---------------------------------===//

#ifndef HEDDLE_OPS_TILE_PRODUCT_TD
#define HEDDLE_OPS_TILE_PRODUCT_TD

include "ProductKinds.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"

def Heddle_TileProductOp : Heddle_Op<"tile_product", [AllTypesMatch<["start", "result"]>,
    DeclareOpInterfaceMethods<DestinationStyleOpInterface>]> {
  let summary = "adds the product of a tile of rows and a tile of a weight to a tile of sums";
  let description = [{
    result[i, j] = start[i, j] + sum over s < S, t < T of rows[i, s, t] * weight[s, T x j + t]. S is the number of steps,
    and T is the depth of the kind: the number of products that one step adds to a sum. If the weight is in panels,
    [panels, S, T x panel], column j is column j mod panel of panel j div panel. The weight may have more columns than
    `start`; these are not read. The kind defines the types of the elements and the arithmetic (see the attributes
    whose names begin with `dot`).

    `prefetch` lists lines of another tile that are prefetched meanwhile: element s div N of a list [N'] with `every` N is
    prefetched into the cache in step s. `locality` selects the cache as in memref.prefetch: 3 is the first cache, 2 the
    second, 1 the third. Prefetches do not change the result.

    A kind may limit S, if its code adds the products of a step in narrower numbers than the sums.

    Lowerings create this operation for operands that are stored in the order in which instructions read them. Stage
    vectorize replaces it.

    Constraints:
    * (C1) rows is [M, S, T], weight is [S, T x N'] or [P, S, T x Q], and start is [M, N] with N <= N' or N <= P x Q. All
      shapes are static.
    * (C2) The element types of rows, weight and start are those of the kind.
    * (C3) `every` has a positive number for each list of `prefetch`, and a list with `every` N has at least S div N,
      rounded up, elements. `locality` is 0 to 3.

    Example:
    ```mlir
    func.func @example(%rows: tensor<6x8x4xi8>, %weight: tensor<8x64xi8>, %sums: tensor<6x16xi32>, %next: tensor<4xi8>) {
      %0 = heddle.tile_product %rows, %weight into %sums kind(#heddle.dot_bytes<unsigned = rows>)
        prefetch(%next : tensor<4xi8>) every [2] locality 3 : tensor<6x8x4xi8>, tensor<8x64xi8>, tensor<6x16xi32>
      return
    }
    ```
  }];
  let arguments = (ins 3DTensorOf<[AnySignlessInteger, AnyFloat]>:$rows,
    TensorRankOf<[AnySignlessInteger, AnyFloat], [2, 3]>:$weight, 2DTensorOf<[AnySignlessInteger, AnyFloat]>:$start,
    Variadic<1DTensorOf<[AnySignlessInteger, AnyFloat]>>:$prefetched, Heddle_ProductKind:$kind,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$every, DefaultValuedAttr<I64Attr, "3">:$locality);
  let results = (outs 2DTensorOf<[AnySignlessInteger, AnyFloat]>:$result);
  let assemblyFormat = [{
    $rows `,` $weight `into` $start `kind` `(` $kind `)`
    (`prefetch` `(` $prefetched^ `:` type($prefetched) `)` `every` $every `locality` $locality)?
    attr-dict `:` type($rows) `,` type($weight) `,` type($start)
  }];
  let extraClassDeclaration = [{
    /// Returns the number of steps, S in the description.
    int64_t getSteps() { return getRows().getType().getDimSize(1); }
  }];
}

#endif // HEDDLE_OPS_TILE_PRODUCT_TD
