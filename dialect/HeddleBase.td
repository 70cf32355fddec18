//===- HeddleBase.td - the dialect and what its ops share -----------------===//

#ifndef HEDDLE_BASE_TD
#define HEDDLE_BASE_TD

include "LayerOpInterface.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Dialect/Linalg/IR/LinalgInterfaces.td"

def Heddle_Dialect : Dialect {
  let name = "heddle";
  let cppNamespace = "::heddle";
  let summary = "What attention, normalisation and feed-forward layers mean";
  let description = [{
    Models are written with the layers, `checked_index` and `weight`. `size`, `sizes` and `dequantize` are left by importers and
    by stage recognise; `accesses`, `dispatch`, `dot`, `launch` and the `exp` operations exist on the way to code only.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 0;
  let hasOperationAttrVerify = 1; // notes: Notes.cpp
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

/// Checks the numbered constraints of an op's description in `verifyConstraints`,
/// before result types are inferred from operands that may break them.
def Heddle_ChecksConstraints : NativeOpTrait<"ChecksConstraints", [], [{
    /// Checks the constraints C1.. of the description; the message ends with the label.
    ::llvm::LogicalResult verifyConstraints();
  }]> {
  let cppNamespace = "::heddle";
}

class Heddle_Op<string mnemonic, list<Trait> traits = []>
    : Op<Heddle_Dialect, mnemonic, !listconcat([Heddle_ChecksConstraints], traits, [Pure])>;

/// An op that is a layer; `also` names the methods of the interface whose defaults do not hold for it.
class Heddle_LayerOp<string mnemonic, list<string> also, list<Trait> traits = []>
    : Heddle_Op<mnemonic, !listconcat(traits, [InferTypeOpAdaptorWithIsCompatible,
        DeclareOpInterfaceMethods<LayerOpInterface, also>])>;

/// A tensor of floating-point elements whose rank is known.
def Heddle_Float : AnyTypeOf<[F16, BF16, F32, F64], "floating-point of 16, 32 or 64 bits">;
def Heddle_FloatTensor : RankedTensorOf<[Heddle_Float]>;
/// What is stored in fewer bits than it stands for, or as it is.
def Heddle_StoredTensor : RankedTensorOf<[Heddle_Float, I8]>;
def Heddle_MaskTensor : RankedTensorOf<[I1]>;
def Heddle_ReadTensor : RankedTensorOf<[Heddle_Float, AnySignlessInteger, Index]>;
def Heddle_LengthTensor : 1DTensorOf<[I64]>;
def Heddle_NumbersTensor : 1DTensorOf<[I32]>; // of rows or columns

class Heddle_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::heddle";
}
class Heddle_EnumAttr<I32EnumAttr enum, string mnemonic>
    : EnumAttr<Heddle_Dialect, enum, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def Heddle_Activation : Heddle_Enum<"Activation", "elementwise function of a linear layer's result", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"Relu", 1, "relu">,          // max(x, 0), NaN stays NaN
  I32EnumAttrCase<"Gelu", 2, "gelu">,          // x/2 (1 + erf(x / sqrt 2))
  I32EnumAttrCase<"GeluTanh", 3, "gelu_tanh">, // x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
  I32EnumAttrCase<"Silu", 4, "silu">,          // x / (1 + exp(-x))
  I32EnumAttrCase<"Tanh", 5, "tanh">
]>;
def Heddle_ActivationAttr : Heddle_EnumAttr<Heddle_Activation, "activation">;

/// How the rows of a layer's input are rounded before they are multiplied: part of what the layer means.
def Heddle_RowRoundingAttr : AttrDef<Heddle_Dialect, "RowRounding"> {
  let mnemonic = "row_rounding";
  let summary = "how the rows of a layer's input are rounded";
  let description = [{
    Elements of a row x, in f32, become those that stand for them. Differences and quotients are those of f32; rint
    rounds to nearest, ties to even. Elements in columns of `exact` stay as they are, and are not among those meant below.

    * `bf16` (or f16): each element is rounded to that type.
    * `ui8`: low = min(0, x), high = max(0, x), step = max(high - low, 2^-100) / 255, zero = rint(-low / step),
      q = min(255, max(0, rint(x / step) + zero)), and the element is (q - zero) * step: DynamicQuantizeLinear of ONNX.
    * `i8`: step = max(|x|, 2^-100) / 127, q = min(127, max(-127, rint(x / step))), and the element is q * step.
    * `si8`: the same with all numbers of a signed byte, step = max(|x|, 2^-100) / 127.5 and q from -128 to 127: what
      compressed-tensors does.

    The elements of a row have one step (and zero); with `x block`, those of each block of so many; with `per_tensor`,
    those of all rows. Where a NaN or an infinity is among them, or high - low is none that f32 has, all are NaN.
    With `step` and `zero`, these are used: q = min(most, max(least, rint(x / step) + zero)), where least and most are
    those of the type, -128 and 127 or 0 and 255: QuantizeLinear of ONNX. Then a NaN is NaN alone.
  }];
  let parameters = (ins "::mlir::Type":$element, DefaultValuedParameter<"int64_t", "0">:$block,
                    OptionalArrayRefParameter<"int64_t">:$exact, DefaultValuedParameter<"bool", "false">:$per_tensor,
                    OptionalParameter<"::mlir::FloatAttr">:$step, DefaultValuedParameter<"int64_t", "0">:$zero);
  let assemblyFormat = [{ `<` $element (`x` $block^)? (`exact` `[` $exact^ `]`)? (`per_tensor` `=` $per_tensor^)?
    (`step` `=` $step^)? (`zero` `=` $zero^)? `>` }];
  let builders = [AttrBuilder<(ins "::mlir::Type":$element, CArg<"int64_t", "0">:$block,
                                   CArg<"::llvm::ArrayRef<int64_t>", "{}">:$exact), [{
    return $_get($_ctxt, element, block, exact, false, ::mlir::FloatAttr(), 0);
  }]>];
  let extraClassDeclaration = [{
    /// Whether steps are of integers, not of floats of fewer bits.
    bool isInteger() const { return ::llvm::isa<::mlir::IntegerType>(getElement()); }
    bool isUnsigned() const { return getElement().isUnsignedInteger(); }
  }];
}

/// How a 4-d head tensor lies in memory: batch, heads, sequence, dimension, or
/// batch, sequence, heads, dimension (a view of [batch, sequence, heads x dim]).
def Heddle_Layout : Heddle_Enum<"Layout", "order of a head tensor's dimensions", [
  I32EnumAttrCase<"Bhsd", 0, "bhsd">, I32EnumAttrCase<"Bshd", 1, "bshd">
]>;
def Heddle_LayoutAttr : Heddle_EnumAttr<Heddle_Layout, "layout">;

#endif // HEDDLE_BASE_TD
