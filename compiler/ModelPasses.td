//===- ModelPasses.td - passes of the stages before bufferize -------------===//
//
// Passes.td includes this file.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_MODELPASSES_TD
#define HEDDLE_MODELPASSES_TD

include "mlir/Pass/PassBase.td"

def UnpackFormats : Pass<"heddle-unpack-formats", "::mlir::ModuleOp"> {
  let summary = "Reads weights that are stored in a format as codes with scales and offsets";
  let description = [{
    A heddle.dequantize with a format becomes one with scales for groups of elements, and with minima if the format has
    offsets. Steps in the recipes of its operands unpack the blocks when a library is written.
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
}

def WidenFloats : Pass<"heddle-widen-floats", "::mlir::ModuleOp"> {
  let summary = "Makes a model that is written in f16 or bf16 compute in f32";
  let description = [{
    The types of arguments, weights and results do not change. Arguments and weights are read through heddle.dequantize,
    and results are rounded once. If rows are appended to a state, or concatenated with a tensor that is stored in a
    narrow type, they are rounded where they are written. An arith.bitcast still reads and returns the narrow types. All
    other values are f32. Conversions that the model itself contains still round.

    If a model declares the rows and the weight of a linear layer, or of a product with a weight, in one of the types
    `products`, the rows are still rounded to this type. If it declares the operands of attention in one of the types
    `attention-products`, attention rounds the factors of its products to this type, unless it computes the softmax in
    f64, or returns or changes the probabilities.
  }];
  let options = [
    ListOption<"products", "products", "std::string", "MLIR names of the types that the target multiplies; a product of rows and a weight of such a type keeps the rounding of its rows">,
    ListOption<"attentionProducts", "attention-products", "std::string", "MLIR names of the types that attention multiplies on the target; attention on operands of such a type rounds the factors of its products">
  ];
  let dependentDialects = ["::heddle::HeddleDialect", "::mlir::arith::ArithDialect"];
}

def RoundRows : Pass<"heddle-round-rows", "::mlir::ModuleOp"> {
  let summary = "Makes the rounding of a linear layer's input a part of the layer";
  let description = [{
    If an operation rounds the input of a linear layer to one of the types `products`, and the layer's weight is stored
    in this type, the layer rounds its rows itself (attribute `rounding`). A target that multiplies this type can then
    compute the layer with such products, and other operations may read the input before it is rounded.
  }];
  let options = [
    ListOption<"products", "products", "std::string", "MLIR names of the types that the target multiplies">
  ];
  let dependentDialects = ["::heddle::HeddleDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def Recognise : Pass<"heddle-recognise", "::mlir::ModuleOp"> {
  let summary = "Replaces decomposed layers by heddle operations";
  let description = [{
    Exporters decompose attention into products, scaling, masks and a softmax, layer norm into means and a root, and
    GELU into erf or tanh. The pass knows the forms in which exporters write these layers (compiler/recognise). It
    replaces a subgraph of such a form by the heddle operation that computes the same function.
  }];
  let options = [
    Option<"remarks", "remarks", "bool", "false", "for each operation that looks like part of a layer but is not replaced, emit a remark with the reason">
  ];
  let dependentDialects = [
    "::heddle::HeddleDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def LowerPrecision : Pass<"heddle-lower-precision", "::mlir::ModuleOp"> {
  let summary = "Stores weights of layers and tables in fewer bits, and rounds the inputs of layers";
  let description = [{
    The pass changes recognised f32 layers whose weights are stored as floats; each heddle.ffn that is not left in f32
    becomes linear layers. In int8, a weight has a scale for each column, and each row of the input has a scale and a
    zero point; in int8-block, each block of 32 elements along the contraction has a scale (and a zero point) of its
    own. The outlier channels in `outliers`, which are columns of the input, and the rows of the weight that belong to
    them are not rounded. In bf16, inputs and weights are rounded to bf16, and so are the factors of the products of
    attention, if it reads no state, computes its softmax in f32, and its probabilities are neither a result nor changed
    by a region. In int8 and int8-block, lookup tables with rows of at least 16 elements are stored in int8 with a scale
    for each 32 elements of a row. Weights that are stored in fewer bits already are not changed; in int8-block, the
    inputs of layers whose weights are integers with a scale (and a minimum) for each 16 or 32 elements of a column are
    rounded, without outlier channels.
  }];
  let options = [
    Option<"precision", "precision", "std::string", "\"int8\"", "the value of --precision">,
    ListOption<"outliers", "outliers", "std::string",
    "WEIGHT:COLUMN:...: the outlier channels of the layer with this weight">,
    ListOption<"left", "left", "std::string",
      "WEIGHT=FORMAT: the format of the layer with this weight, instead of that of `precision`">
  ];
  let dependentDialects = ["::heddle::HeddleDialect", "::mlir::arith::ArithDialect"];
}

//===- stage fuse ---------------------------------------------------------===//

def CheckIndices : Pass<"heddle-check-indices", "::mlir::func::FuncOp"> {
  let summary = "Makes computed indices valid, and adds a result that is not 0 if any of them was out of bounds";
  let description = [{
    Each heddle.checked_index becomes elementwise operations that yield a valid index for any input. If the function
    contains a heddle.checked_index, a result is appended to its results: an i32, annotated with `heddle.index_check`,
    that is not 0 if any index was out of bounds. Indices into a dimension that may be empty are refused.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def CheckStates : Pass<"heddle-check-states", "::mlir::ModuleOp"> {
  let summary = "Checks the states of a model and annotates them for later stages";
  let description = [{
    An argument and a result of @main with the same heddle.state share one block of the caller's memory. The facts about
    states that the library needs in each call (the number of sequences, the capacity, the number of new rows, and which
    states each call replaces) become annotations, since the operations that contain these facts are lowered later.
    Models with inconsistent states are refused.
  }];
}

def FoldLayouts : Pass<"heddle-fold-layouts", "::mlir::func::FuncOp"> {
  let summary = "Turns splits and merges of attention heads into layout attributes";
  let description = [{
    If the query, key or value of attention is the result of a transpose [0, 2, 1, 3], or if such a transpose is the
    only user of attention's result, the transpose is removed, and the layout attribute of the operand or result is
    changed instead. No data is moved then.
  }];
  let dependentDialects = ["::heddle::HeddleDialect", "::mlir::linalg::LinalgDialect"];
}

def MergeProjections : Pass<"heddle-merge-projections", "::mlir::func::FuncOp"> {
  let summary = "Merges the query, key and value projections of one input into one linear layer";
  let description = [{
    If at least two operands of an attention operation come from linear layers with the same input and with weights that
    are stored in the same way, the weights and biases of these layers are concatenated, and the operands become slices
    of one result. Layers are merged only if they are alike in everything else, for example in their active rows and
    their rounding, and if they have neither a residual nor an operand `outlier_channels`. Weights with scales are
    merged only if each column has scales of its own. The annotation `heddle.merged_weights` of the module can restrict
    which layers are merged.
  }];
  let dependentDialects = [
    "::heddle::HeddleDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FuseResiduals : Pass<"heddle-fuse-residuals", "::mlir::func::FuncOp"> {
  let summary = "Turns additions after linear and feed-forward layers and before norms into residual operands";
  let dependentDialects = ["::heddle::HeddleDialect", "::mlir::tensor::TensorDialect"];
}

def FuseElementwise : Pass<"heddle-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Fuses elementwise operations and broadcasts into few linalg.generic";
  let description = [{
    The pass applies to operations outside of layers: arith and math operations on tensors become linalg.generic,
    together with the broadcasts and transposes that they read. A producer that only moves elements is fused into all
    its consumers. Any other producer is fused if it has one use, no element is then computed more than once, and the
    fused body has at most 128 operations. Products, reductions and softmax keep their named operations.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def SkipPadding : Pass<"heddle-skip-padding", "::mlir::func::FuncOp"> {
  let summary = "Makes rows of layers zero where the attention mask is 0 and no output depends on them";
  let description = [{
    The activity mask [batch, positions], from which an attention mask is computed, is not 0 at active positions. If no
    result of the function depends on the inactive rows of a layer, because every path to a result passes through a
    multiplication by zero, a select or a removed key, the pass inserts a linalg.generic after the layer that makes
    these rows zero. The layer's kernel fuses the linalg.generic as an epilogue and does not compute the rows. Even if
    inactive rows are results of the function, attention does not need the inactive rows of keys and values, with three
    exceptions: a batch entry needs both if it has no active position, and if one of its inputs contains a NaN or a
    number of magnitude 2^20 or more; it needs the values if all scores of a query may be as low as the score of a
    masked key. To detect the last case, generated code bounds the scores of an entry by the magnitudes of its largest
    query and its largest key.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

//===- stage kernels ------------------------------------------------------===//

def ComputeConstants : Pass<"heddle-compute-constants", "::mlir::func::FuncOp"> {
  let summary = "Replaces constants whose shape depends on sizes by operations that compute them in each call";
  let description = [{
    A library cannot store a constant for each size. Only a constant whose elements are all equal can have a shape that
    depends on sizes. A constant remains the operand of an operation that can use the element as a scalar, because the
    constant then needs no memory.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def ExtractOutlierChannels : Pass<"heddle-extract-outlier-channels", "::mlir::func::FuncOp"> {
  let summary = "Turns the outlier channels of layers into data outside of their kernels";
  let description = [{
    The indices of the outlier channels, which are attributes of the layer's rounding and of its weight, become a tensor
    that is stored with this weight, if the weight is a heddle.weight. As attributes they would differ between the
    layers of a model, and each layer would need a kernel of its own. Indices that are already an operand must be
    constants in a recipe (`#heddle.numbers`; a recipe is the list of steps that compute a stored weight when a library
    is written), so that this pass can check them: compiled code does not check them.
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
}

def OutlineKernels : Pass<"heddle-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Groups the operations of @main into private kernel functions";
  let description = [{
    A kernel contains one root or a group of elementwise operations, together with the slices of its operands and the
    constants that it uses. A root is a heddle operation (with the row select of its result, if there is one), a
    softmax, a contraction, a reduction, or several insertions into one tensor. The arguments of a kernel are the
    inputs, followed by a destination for each result; `bufferization.writable` is true for destinations only. @main
    passes an empty tensor as a destination, or the state that the kernel updates in place. Reshapes (as views) and
    heddle.weight remain in @main. A tensor of i1 is passed as i8 at every function boundary.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

//===- stage tile ---------------------------------------------------------===//

def NarrowResults : Pass<"heddle-narrow-results", "::mlir::ModuleOp"> {
  let summary = "Stores a layer's result in a narrower type if all its readers round it to this type";
  let description = [{
    Such a result is rounded once, while it is in registers, instead of by each of its readers. This halves its memory
    and does not change any bit of later results. The pass applies only on CPUs and devices with products of `types`.
    Readers are layers that round their input and, with `conversions`, kernels that convert the result and do nothing
    else; such a kernel is removed. Results are those of linear layers that round their own input (attribute
    `rounding`) or, with `conversions`, of any linear or feed-forward layer. Without `conversions`, code is for CPUs,
    whose dot products multiply pairs of elements and flush denormals: a result has an even number of columns, and its
    rounding may flush denormals.
  }];
  let options = [
    ListOption<"types", "types", "std::string", "MLIR names of the types in which results may be stored (default: bf16)">,
    Option<"conversions", "conversions", "bool", "false", "whether conversions become a part of the layers whose results they convert">
  ];
  let dependentDialects = [
    "::heddle::HeddleDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def TieTables : Pass<"heddle-tie-tables", "::mlir::ModuleOp"> {
  let summary = "Reads the rows of a lookup table from the packed panels of the same weight";
  let description = [{
    A decoder's embedding table is often the transposed weight of its last layer. Since the layer reads its weight in
    packed form, the elements would be stored twice. A call looks up few rows of the table, while the layer reads all
    elements. Each element of a row is therefore read from its position in the panels. A table is not changed if it has
    uses other than reads of single elements, or if a kernel that reads it is called several times.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect", "::heddle::HeddleDialect"];
}

//===- stage vectorize ----------------------------------------------------===//

def FoldDequantize : Pass<"heddle-fold-dequantize", "::mlir::func::FuncOp"> {
  let summary = "Turns reads through heddle.dequantize into reads of stored elements, converted after loading";
  let description = [{
    If there are scales, they are read as well, at the index of the block that contains the element. In three cases
    dequantized elements are first written to memory: the elements of a slice if the slice does not consist of whole
    blocks, and all elements of the tensor if an operation reads the whole tensor at once, or if there is no code for
    one of the vector reads.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::vector::VectorDialect", "::heddle::HeddleDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // HEDDLE_MODELPASSES_TD
