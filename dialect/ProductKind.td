//===- ProductKind.td - the kinds of products of tiles --------------------===//
//
// A kind defines which numbers one step of a product multiplies and adds: their element types, how many rows of the
// weight belong to a step, and which operand is unsigned. The code for a kind is in compiler/kinds, in a file with the
// name of the C++ class of the attribute without `Attr`: DotBytes.cpp for DotBytesAttr.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PRODUCT_KIND_TD
#define HEDDLE_PRODUCT_KIND_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Heddle_ProductKind : AttrInterface<"ProductKind"> {
  let cppNamespace = "::heddle";
  let description = [{
    The arithmetic of heddle.tile_product: a step adds the products of `depth` elements of a row of the input and
    `depth` elements of a column of the weight to one sum.
  }];
  let methods = [
    InterfaceMethod<"The type of the elements of the input's rows.", "::mlir::Type", "getRowsElement">,
    InterfaceMethod<"The type of the elements of the weight.", "::mlir::Type", "getWeightElement">,
    InterfaceMethod<"The number of steps whose numbers of the weight share an element of the weight.", "int64_t",
                    "getStepsPerElement", (ins), [{}], [{ return 1; }]>,
    InterfaceMethod<"The number of the weight in part `part` of an element whose bits are `bits`. There are "
                    "getStepsPerElement() parts.", "int64_t", "getWeightNumber", (ins "int64_t":$bits, "int64_t":$part),
                    [{}], [{ return bits; }]>,
    InterfaceMethod<"The type of the sums.", "::mlir::Type", "getSumElement">,
    InterfaceMethod<"The number of products that a step adds to a sum.", "int64_t", "getDepth">,
    InterfaceMethod<"The operand whose integers are unsigned, if any.", "::heddle::UnsignedSide", "getUnsignedSide",
                    (ins), [{}], [{ return ::heddle::UnsignedSide::None; }]>,
    InterfaceMethod<"The smallest product that the code of the kind computes. Kinds that compute each sum on its own "
                    "have the unit of one row, one column and one step.", "::heddle::ProductUnit", "getUnit", (ins),
                    [{}], [{ return ::heddle::ProductUnit(); }]>,
    InterfaceMethod<"The largest number of steps that the code of the kind can add without an overflow. Sums of i32 "
                    "that wrap around do not count as an overflow.", "int64_t", "getMaxSteps", (ins), [{}],
                    [{ return std::numeric_limits<int64_t>::max(); }]>
  ];
}

/// The operand of a product of bytes that consists of unsigned integers, if any.
def Heddle_UnsignedSide : I32EnumAttr<"UnsignedSide", "the operand of a product whose integers are unsigned", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Rows", 1, "rows">, I32EnumAttrCase<"Weight", 2, "weight">
]> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::heddle";
}

#endif // HEDDLE_PRODUCT_KIND_TD
