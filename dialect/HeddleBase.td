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
    Models are written with the layers, `checked_index` and `weight`. `size`, `sizes` and `widen` are left by importers and
    by stage recognise; `accesses`, `dispatch`, `launch` and the `exp` operations exist on the way to code only.
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
def Heddle_MaskTensor : RankedTensorOf<[I1]>;
def Heddle_ReadTensor : RankedTensorOf<[Heddle_Float, AnySignlessInteger, Index]>;
def Heddle_LengthTensor : 1DTensorOf<[I64]>;

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

/// How a 4-d head tensor lies in memory: batch, heads, sequence, dimension, or
/// batch, sequence, heads, dimension (a view of [batch, sequence, heads x dim]).
def Heddle_Layout : Heddle_Enum<"Layout", "order of a head tensor's dimensions", [
  I32EnumAttrCase<"Bhsd", 0, "bhsd">, I32EnumAttrCase<"Bshd", 1, "bshd">
]>;
def Heddle_LayoutAttr : Heddle_EnumAttr<Heddle_Layout, "layout">;

#endif // HEDDLE_BASE_TD
