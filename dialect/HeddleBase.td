//===- HeddleBase.td - the dialect and shared definitions -----------------===//

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
  let summary = "Transformer layers: attention, normalization, feed-forward and linear layers";
  let description = [{
    Users write models with the layers, `checked_index` and `weight` of this dialect, and with operations of upstream
    dialects; `yield` ends the regions of `attention`. Importers and the stage `recognise` also create `size`, `sizes`
    and `dequantize`. The operations `accesses`, `dispatch`, `dot`, `launch`, `lookup`, `pair`, `pair_dot`,
    `tile_commit`, `tile_copy`, `tile_product`, `tile_wait` and the `exp` operations occur only in later stages.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 0;
  let hasOperationAttrVerify = 1; // Notes.cpp verifies annotations
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

/// Verifies the numbered constraints of an op's description in `verifyConstraints`, before result types are inferred
/// from operands that may violate them.
def Heddle_ChecksConstraints : NativeOpTrait<"ChecksConstraints", [], [{
    /// Verifies the constraints C1, C2, ... of the description. The error message ends with the violated constraint's
    /// label.
    ::llvm::LogicalResult verifyConstraints();
  }]> {
  let cppNamespace = "::heddle";
}

class Heddle_Op<string mnemonic, list<Trait> traits = []>
    : Op<Heddle_Dialect, mnemonic, !listconcat([Heddle_ChecksConstraints], traits, [Pure])>;

/// An op that is a layer. `also` lists the methods of LayerOpInterface that the op implements itself instead of using
/// their defaults.
class Heddle_LayerOp<string mnemonic, list<string> also, list<Trait> traits = []>
    : Heddle_Op<mnemonic, !listconcat(traits, [InferTypeOpAdaptorWithIsCompatible,
        DeclareOpInterfaceMethods<LayerOpInterface, also>])>;

/// The floating-point types of tensor elements.
def Heddle_Float : AnyTypeOf<[F16, BF16, F32, F64], "floating-point of 16, 32 or 64 bits">;
/// A tensor of floating-point elements whose rank is known.
def Heddle_FloatTensor : RankedTensorOf<[Heddle_Float]>;
/// A stored tensor: floating-point elements, or bytes that heddle.dequantize converts to floating point.
def Heddle_StoredTensor : RankedTensorOf<[Heddle_Float, I8]>;
/// A mask, which is true for the selected elements.
def Heddle_MaskTensor : RankedTensorOf<[I1]>;
/// A tensor that a region of an op may read.
def Heddle_ReadTensor : RankedTensorOf<[Heddle_Float, AnySignlessInteger, Index]>;
/// A number of positions for each batch entry.
def Heddle_LengthTensor : 1DTensorOf<[I64]>;
/// Indices of rows or columns.
def Heddle_NumbersTensor : 1DTensorOf<[I32]>;

/// An enum and, below, its attribute.
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

/// The rounding of a layer's input rows before the product. The rounding is part of the layer's semantics.
def Heddle_RowRoundingAttr : AttrDef<Heddle_Dialect, "RowRounding"> {
  let mnemonic = "row_rounding";
  let summary = "how the rows of a layer's input are rounded";
  let description = [{
    Each element x (f32) of a row is replaced by its rounded value. Differences and quotients are computed in f32; rint
    rounds to nearest, ties to even. The minima and maxima below are taken over the elements that share a scale. The
    columns that `outliers` lists are the outlier channels: their elements are not rounded and do not contribute to
    minima and maxima.
    * `bf16` or `f16`: each element is rounded to that type.
    * `ui8`: low is the minimum of all x and 0, high the maximum of all x and 0, scale = max(high - low, 2^-100) / 255,
      zero = rint(-low / scale), q = min(255, max(0, rint(x / scale) + zero)), and the element becomes (q - zero) *
      scale. This is ONNX's DynamicQuantizeLinear.
    * `i8`: scale = max(largest |x|, 2^-100) / 127, q = min(127, max(-127, rint(x / scale))), and the element becomes
      scale * q.
    * `si8`: like `i8`, but with the full range of a signed byte: scale = max(largest |x|, 2^-100) / 127.5 and q from
      -128 to 127, as in compressed-tensors.
    By default the elements of a row share one scale (and one zero point). With `x block`, each block of `block`
    elements of a row has a scale of its own; with `per_tensor`, all rows share one scale. If the elements that share a
    scale include a NaN or an infinity, or if high - low overflows f32, all these elements become NaN. A model may give
    the activation scale and the zero point as the constants `scale` and `zero`. Then q = min(qmax, max(qmin, rint(x /
    scale) + zero)), where qmin and qmax are the bounds of the type (-128 and 127, or 0 and 255), and a NaN affects only
    its own element. This is ONNX's QuantizeLinear.
  }];
  let parameters = (ins "::mlir::Type":$element, DefaultValuedParameter<"int64_t", "0">:$block,
                    OptionalArrayRefParameter<"int64_t">:$outliers, DefaultValuedParameter<"bool", "false">:$per_tensor,
                    OptionalParameter<"::mlir::FloatAttr">:$scale, DefaultValuedParameter<"int64_t", "0">:$zero);
  let assemblyFormat = [{ `<` $element (`x` $block^)? (`outliers` `[` $outliers^ `]`)? (`per_tensor` `=` $per_tensor^)?
    (`scale` `=` $scale^)? (`zero` `=` $zero^)? `>` }];
  let builders = [AttrBuilder<(ins "::mlir::Type":$element, CArg<"int64_t", "0">:$block,
                                   CArg<"::llvm::ArrayRef<int64_t>", "{}">:$outliers), [{
    return $_get($_ctxt, element, block, outliers, false, ::mlir::FloatAttr(), 0);
  }]>];
  let extraClassDeclaration = [{
    /// Whether elements are rounded to scaled integers, not to a narrower floating-point type.
    bool isInteger() const { return ::llvm::isa<::mlir::IntegerType>(getElement()); }
    bool isUnsigned() const { return getElement().isUnsignedInteger(); }
  }];
}

/// The order of the dimensions of a 4-d tensor with one matrix for each attention head: [batch, heads, sequence, dim]
/// (bhsd), or [batch, sequence, heads, dim] (bshd), which is a view of [batch, sequence, heads x dim].
def Heddle_Layout : Heddle_Enum<"Layout", "order of a head tensor's dimensions", [
  I32EnumAttrCase<"Bhsd", 0, "bhsd">, I32EnumAttrCase<"Bshd", 1, "bshd">
]>;
def Heddle_LayoutAttr : Heddle_EnumAttr<Heddle_Layout, "layout">;

#endif // HEDDLE_BASE_TD
