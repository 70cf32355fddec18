//===- FragmentKind.td - the interface of kinds of fragments --------------===//
//
// A kind of fragments is an attribute that describes a small matrix product, which the lanes of a warp compute
// together. It defines which elements of the sum and of each factor a lane has in its registers: the lane's fragment of
// this matrix. The code for the products of a kind is in compiler/kinds, in a file with the name of the C++ class of
// the attribute without `Attr`: Fma.cpp for FmaAttr.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_FRAGMENT_KIND_TD
#define HEDDLE_FRAGMENT_KIND_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

/// The matrices of a product.
def Heddle_FragmentRole : I32EnumAttr<"FragmentRole", "a matrix of a product", [
  I32EnumAttrCase<"Sum", 0, "sum">,    // [m, n]
  I32EnumAttrCase<"Left", 1, "left">,  // [m, k]
  I32EnumAttrCase<"Right", 2, "right"> // [k, n]
]> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::heddle";
}

def Heddle_FragmentKind : AttrInterface<"FragmentKind"> {
  let cppNamespace = "::heddle";
  let description = [{
    Describes one product that the 32 lanes of a warp compute together: sum [m, n] += left [m, k] x right [k, n]. Each
    lane has some elements of each matrix in its registers. If k is 0, the kind has no product, only the layout of a
    matrix [m, n] (role `sum`).
  }];
  let methods = [
    InterfaceMethod<"The extents m, n and k of one product.", "::std::array<int64_t, 3>", "getShape">,
    InterfaceMethod<"The type of the elements of a matrix.", "::mlir::Type", "getElementOf",
                    (ins "::heddle::FragmentRole":$role)>,
    InterfaceMethod<"The number of elements of a matrix that each lane has.", "int64_t", "getCount",
                    (ins "::heddle::FragmentRole":$role)>,
    InterfaceMethod<"The map (lane, element) -> (row, column) of a matrix.", "::mlir::AffineMap", "getLayout",
                    (ins "::heddle::FragmentRole":$role)>
  ];
  let extraClassDeclaration = [{
    /// The number of lanes of a warp.
    static constexpr int64_t lanes = 32;
    /// The width in bits of a lane's widest loads and stores.
    static constexpr int64_t widestAccess = 128;
  }];
}

#endif // HEDDLE_FRAGMENT_KIND_TD
