//===- FormatAttr.td - definitions of formats -----------------------------===//
//
// A file of formats/ defines one format of stored tensors, and Formats.td lists these files. A definition specifies
// where the numbers of a block are in its bytes and by which formulas they represent elements. Verifiers, the
// interpreter, recipes and the documentation read the definition, so no other code depends on a particular format.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_FORMAT_ATTR_TD
#define HEDDLE_FORMAT_ATTR_TD

include "HeddleBase.td"
include "formats/Format.td"

/// Bits of the numbers of a plane: the fields of FormatBits in FormatPlane.h.
class Heddle_Bits<int width_, int first, list<int> shape = [], list<int> strides = []> {
  int width = width_;
  string initializer = "{" # width_ # ", " # first # ", {" # !interleave(shape, ", ") # "}, {" #
                       !interleave(strides, ", ") # "}}";
}

/// The bits of the 4-bit codes of a block of 32 elements, in 16 bytes from bit `first` on. The lower halves of the
/// bytes are the codes of elements 0 to 15, and the upper halves are those of elements 16 to 31.
class Heddle_Halves<int first> : Heddle_Bits<4, first, [2, 16], [4, 8]>;

/// A plane of a block: the fields of FormatPlane in FormatPlane.h. In formulas its numbers are called `name_`.
class Heddle_Plane<string name_, string type, int shared, list<Heddle_Bits> fields> {
  string name = name_;
  string variable = !if(!eq(type, "F16"), "double", "int64_t");
  string initializer = "{\"" # name_ # "\", FormatPlane::Type::" # type # ", " # shared # ", {" #
                !interleave(!foreach(one, fields, one.initializer), ", ") # "}}";
  string text = "`" # name_ # "`, " #
                !cond(!eq(type, "F16") : "a float of ", !eq(type, "Signed") : "a signed integer of ",
                      true : "an unsigned integer of ") #
                !foldl(0, fields, sum, one, !add(sum, one.width)) # " bits for each " #
                !if(!eq(shared, 1), "element", shared # " elements");
}

/// A plane of f16 that begins at bit `first` and has one number for each block of `length` elements.
class Heddle_F16Plane<string name, int length, int first>
    : Heddle_Plane<name, "F16", length, [Heddle_Bits<16, first>]>;

/// A format whose elements are scale * code + offset. `codeOf` is a function of the number of the plane `codes`;
/// `scale` and `offset` are functions of the numbers of the planes `group`, which belong to a group of elements. The
/// functions are expressions of C++ in which `table[i]` is element i of `values`.
class Heddle_FormatAttr<string name, string mnemonic_, int blockLength, int blockBytes, Heddle_Plane codes,
                        string codeOf, list<Heddle_Plane> group, string scale, string offset = "",
                        list<int> values = []>
    : AttrDef<Heddle_Dialect, name, [DeclareAttrInterfaceMethods<Heddle_Format>]> {
  let mnemonic = mnemonic_;
  defvar planes = !listconcat([codes], group);
  defvar table = !interleave(values, ", ");
  defvar value = scale # " * " # !if(!eq(codeOf, codes.name), codeOf, "(" # codeOf # ")") #
                 !if(!empty(offset), "", " + " # offset);
  let summary = "blocks of " # blockLength # " elements in " # blockBytes # " bytes: " # value;
  let description = "The numbers of a block are:\n" # !interleave(!foreach(plane, planes, "* " # plane.text), "\n") #
                    !if(!empty(values), "", "\n\nThe table is [" # table # "].");

  defvar variables = !interleave(!foreach(i, !range(!size(group)),
    "  [[maybe_unused]] " # group[i].variable # " " # group[i].name # " = " # group[i].variable #
    "(numbers[" # i # "]);\n"), "");
  defvar tableCode = !if(!empty(values), "", "  static constexpr int64_t table[] = {" # table # "};\n");
  // A scale or offset is exact in f16 if it is a number of a plane of f16.
  defvar halves = !foreach(plane, !filter(plane, group, !eq(plane.variable, "double")), plane.name);
  defvar exact = !and(!foldl(0, halves, found, one, !or(found, !eq(one, scale))),
                      !or(!empty(offset), !foldl(0, halves, found, one, !or(found, !eq(one, offset)))));
  let extraClassDefinition =
    "bool $cppClass::isExactInF16() const { return " # !if(exact, "true", "false") # "; }\n" #
    "int64_t $cppClass::getBlockLength() const { return " # blockLength # "; }\n" #
    "int64_t $cppClass::getBlockBytes() const { return " # blockBytes # "; }\n" #
    "::llvm::ArrayRef<FormatPlane> $cppClass::getPlanes() const {\n  static const FormatPlane planes[] = {" #
    !interleave(!foreach(plane, planes, plane.initializer), ", ") # "};\n  return planes;\n}\n" #
    "int64_t $cppClass::getCode(int64_t " # codes.name # ") const {\n" # tableCode # "  return " # codeOf # ";\n}\n" #
    "double $cppClass::getScale(::llvm::ArrayRef<double> numbers) const {\n" # variables #
    "  return " # scale # ";\n}\n" #
    "double $cppClass::getOffset(::llvm::ArrayRef<double> numbers) const {\n" # variables # "  return " #
    !if(!empty(offset), "0", offset) # ";\n}\n" #
    "bool $cppClass::hasOffset() const { return " # !if(!empty(offset), "false", "true") # "; }\n";
}

#endif // HEDDLE_FORMAT_ATTR_TD
