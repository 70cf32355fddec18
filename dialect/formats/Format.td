//===- Format.td - the interface of formats -------------------------------===//
//
// FormatAttr.td contains the class with which the files of this folder define formats.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_FORMAT_TD
#define HEDDLE_FORMAT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpBase.td"

def Heddle_Format : AttrInterface<"Format"> {
  let cppNamespace = "::heddle";
  let description = [{
    The meaning of the bytes of a stored tensor. The elements of a row are stored in blocks of equal size. An element
    is scale * code + offset, where the code is an integer. Scales and offsets are the same for all elements of a group,
    which is a part of a block.
  }];
  let methods = [
    InterfaceMethod<"The number of elements of a block.", "int64_t", "getBlockLength">,
    InterfaceMethod<"The number of bytes of a block.", "int64_t", "getBlockBytes">,
    InterfaceMethod<"The planes of a block. The first plane determines the codes; the others are parameters.",
                    "::llvm::ArrayRef<::heddle::FormatPlane>", "getPlanes">,
    InterfaceMethod<"The code that a number of the first plane represents, a signed integer of 8 bits.", "int64_t",
                    "getCode", (ins "int64_t":$number)>,
    InterfaceMethod<"The scale of a group. It is exact in f32. `numbers` contains the group's number of each "
                    "parameter.", "double", "getScale", (ins "::llvm::ArrayRef<double>":$numbers)>,
    InterfaceMethod<"The offset of a group. It is exact in f32. `numbers` contains the group's number of each "
                    "parameter.", "double", "getOffset", (ins "::llvm::ArrayRef<double>":$numbers)>,
    InterfaceMethod<"Whether there are offsets other than 0.", "bool", "hasOffset">,
    InterfaceMethod<"Whether all scales and offsets are exact in f16.", "bool", "isExactInF16">,
    InterfaceMethod<"The number of successive elements that share a scale and an offset.", "int64_t", "getGroupLength",
                    (ins), [{}], [{
      int64_t length = $_attr.getBlockLength();
      for (const ::heddle::FormatPlane &plane : $_attr.getPlanes().drop_front())
        length = std::min(length, plane.shared);
      return length;
    }]>
  ];
}

#endif // HEDDLE_FORMAT_TD
