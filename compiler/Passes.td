//===- Passes.td - every pass of the compiler -----------------------------===//
//
// One stem per pass: the entry here, <Pass>.cpp in the folder of its subject (Tile
// and Vectorize: strategies/StrategyPasses.cpp), tests/.../<pass>.mlir and
// <pass>-errors.mlir.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PASSES_TD
#define HEDDLE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandRemainders : Pass<"heddle-expand-remainders"> {
  let summary = "Replaces remainders of f32 and f64 by loops of integer divisions, which are exact";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def ExpandMath : Pass<"heddle-expand-math"> {
  let summary = "Replaces math functions of scalars and vectors by arithmetic";
  let description = [{
    Functions of f32 and f64 become polynomials, so that generated code neither calls libm nor leaves vector
    registers. tanh, acos, erfc, log1p and expm1 of f32 are upstream's, the others Heddle's own. -inf, +inf and
    NaN keep their meaning. Largest errors in f32, over all numbers, relative unless said
    (tests/targets/cpu/expand_math_test.cpp and expand_elementary_test.cpp measure them):

    | function | error | |
    |---|---|---|
    | exp | 2.4e-7 | results that are no normal numbers are 0 |
    | `heddle.exp_nonpositive` | 2.4e-7 - 1.9e-8 x | for x <= 0 (x of softmax less the maximum) |
    | `heddle.exp2_nonpositive` | 2.4e-7 | for x <= 0 (scores of attention in units of log(2)) |
    | erf | 3.1e-7 | and 2.2e-7 absolute |
    | tanh | 4e-7 | |
    | log, log2, log10, log1p | 2.4e-7 | denormals included |
    | expm1 | 3.2e-7 | |
    | sin, cos | 2e-7 | of all finite numbers, however large |
    | tan | 3.2e-7 | likewise |
    | asin, acos, atan | 2.4e-7 | NaN of asin and acos beyond 1 |
    | sinh | 3.2e-7 | finite where the result is |
    | cosh, asinh, acosh, atanh | 2.4e-7 | likewise |
    | cbrt | 1.2e-7 | |
    | pow, exp2 | 1e-7 | 0.8 of the last digit, denormal results included; special cases as in C |
    | atan2 | 3.6e-7 | directions of zeros and infinities as in C |

    In f64:

    | function | error | |
    |---|---|---|
    | log, log2, log10, log1p | 1.2e-16 | denormals included |
    | sin, cos, tan, asin, acos, atan | 1.8e-16 | |
    | pow, exp2 | 1.8e-16 | denormal results included |
    | cbrt | 2e-16 | |
    | cosh, acosh | 2.4e-16 | |
    | sinh, asinh, atanh | 3.2e-16 | |
    | atan2 | 4e-16 | |
    | exp, erf, tanh, expm1 | 8e-16 | results of exp that are no normal numbers are 0 |
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}

def ExpandConversions : Pass<"heddle-expand-conversions"> {
  let summary = "Replaces conversions of f16 and bf16 that are no instruction by arithmetic";
  let description = [{
    Of scalars and vectors; to nearest even, with denormals, infinities and NaN. From f64 a number is rounded once.
    An arith.truncf from f32 to bf16 with the flag afn is left to heddle-expand-dots.
  }];
  let options = [
    Option<"half", "half", "bool", "false", "the CPU converts between f16 and f32">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandDots : Pass<"heddle-expand-dots"> {
  let summary = "Turns heddle.dot into what a CPU has for it, or into products of wider numbers";
  let description = [{
    All are exact for bytes. On x86-64 products of bytes are vpdpbusd (AVX512-VNNI, AVX-VNNI), else two vpmaddwd of the
    even and the odd bytes as 16-bit numbers: nothing saturates. It takes an unsigned left side; a signed one costs one
    more instruction for each right side. 64-bit Arm has sdot (dotprod) and usdot (i8mm). Of words and bytes they are one
    vpmaddwd of what the bytes are as words.

    Of bf16, products are vdpbf16ps (AVX512-BF16) or bfdot; without these, of each pair first the second, then the first
    is multiplied and added in f32. vdpbf16ps takes denormals for zero and leaves zero where a sum would be one, and
    bfdot does so too, whatever the program has set: a product loses less than 2^-126 of the other factor's magnitude, a
    sum less than 2^-126.

    So where an arith.truncf to bf16 has the flag afn, a denormal result may be zero: that is vcvtneps2bf16, or the
    arithmetic of any other rounding.

    What stands beside such products is a GELU whose erf has the flag afn, which heddle-expand-math leaves: where the CPU
    looks numbers up in a register (AVX512DQ) it becomes max(x, 0) less a polynomial of |x| in each of some intervals
    (targets/cpu/ExpandGelu.h), elsewhere the polynomial of any erf.
  }];
  let options = [
    ListOption<"features", "features", "std::string", "features of the CPU, as LLVM names them, sse2 among them">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def Tile : Pass<"heddle-tile", "::mlir::ModuleOp"> {
  let summary = "Chooses each kernel's strategy and runs its @tile";
  let options = [
    Option<"target", "target", "std::string", "\"cpu\"", "the folder of the strategies">,
    ListOption<"features", "features", "std::string", "features of the CPU, as LLVM names them">,
    ListOption<"limits", "limits", "std::string", "NAME=VALUE, numbers of the CPU, on which knobs depend">,
    ListOption<"strategies", "strategy", "std::string", "OP=NAME|FILE[:knob=value,...], separated by commas; {{two knobs' commas, in braces}}">
  ];
}

def Vectorize : Pass<"heddle-vectorize", "::mlir::ModuleOp"> {
  let summary = "Runs @vectorize of the strategy that heddle-tile chose";
}

def WidenFloats : Pass<"heddle-widen-floats", "::mlir::ModuleOp"> {
  let summary = "Computes what a model says in f16 or bf16 in f32";
  let description = [{
    Arguments, weights and results stay as they are stored: they are read through heddle.dequantize, and results are rounded
    once, new rows of a state where they are written. Between them all values are f32. Conversions that the model makes
    itself round as before.
  }];
  let dependentDialects = ["::heddle::HeddleDialect", "::mlir::arith::ArithDialect"];
}

def Recognise : Pass<"heddle-recognise", "::mlir::ModuleOp"> {
  let summary = "Turns decomposed layers into heddle operations";
  let description = [{
    Exporters decompose attention into products, scaling, masks and a softmax, layer norm into
    means and a root, GELU into erf or tanh. Where such a subgraph is the same function as a
    heddle operation, it becomes one.
  }];
  let options = [
    Option<"remarks", "remarks", "bool", "false", "a remark on each operation that stayed general, with the reason">
  ];
  let dependentDialects = [
    "::heddle::HeddleDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def LowerPrecision : Pass<"heddle-lower-precision", "::mlir::ModuleOp"> {
  let summary = "Stores weights of layers and tables in fewer bits, and rounds what layers read";
  let description = [{
    Of layers of f32, recognised before, whose weights are stored in floats. heddle.ffn becomes linear layers. In int8 a
    weight has a scale for each column, the rows of the input have a step and a zero point each; in int8-block these are
    of blocks of 32 along the contraction. Columns of the input in `exact` are rounded on neither side. In bf16 both sides
    are bf16. Tables that are looked up, in rows of 16 elements and more, have a scale for each 32 elements of a row. What
    is in fewer bits already stays.
  }];
  let options = [
    Option<"precision", "precision", "std::string", "\"int8\"", "as --precision says it">,
    ListOption<"exact", "exact", "std::string", "WEIGHT:COLUMN:...: what is not rounded of the input of that weight's layer">,
    ListOption<"left", "left", "std::string", "WEIGHT=FORMAT: the format of that weight's layer, whatever the others'">
  ];
  let dependentDialects = ["::heddle::HeddleDialect", "::mlir::arith::ArithDialect"];
}

//===- stage fuse ---------------------------------------------------------===//

def CheckIndices : Pass<"heddle-check-indices", "::mlir::func::FuncOp"> {
  let summary = "Computed indices are brought into their dimensions, and a result says whether one was outside";
  let description = [{
    Each heddle.checked_index becomes elementwise operations that yield the number of an element whatever the index is.
    Whether any index was outside of its dimension is the function's last result, an i32 with a note.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def CheckStates : Pass<"heddle-check-states", "::mlir::ModuleOp"> {
  let summary = "States of a model are told to the stages behind";
  let description = [{
    An argument and a result of @main with one heddle.state are one memory of the caller. What its library has to know of
    states for each call (sequences, capacity, new rows, which states are replaced) becomes notes, since the operations
    that say it are lowered. Models whose states do not go together are refused.
  }];
}

def FoldLayouts : Pass<"heddle-fold-layouts", "::mlir::func::FuncOp"> {
  let summary = "Head split and merge of attention become layout attributes";
  let description = [{
    A transpose [0, 2, 1, 3] of an operand or of the only use of the result changes the
    operand's or the result's layout instead of moving memory.
  }];
  let dependentDialects = ["::heddle::HeddleDialect", "::mlir::linalg::LinalgDialect"];
}

def MergeProjections : Pass<"heddle-merge-projections", "::mlir::func::FuncOp"> {
  let summary = "Query, key and value projections of one input become one linear layer";
  let description = [{
    Where at least two of an attention's operands come from linear layers of the same input,
    with stored weights, of which the same rows are needed, the weights and biases are
    concatenated, and the operands become slices of one result.
  }];
  let dependentDialects = [
    "::heddle::HeddleDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FuseResiduals : Pass<"heddle-fuse-residuals", "::mlir::func::FuncOp"> {
  let summary = "Additions after linear layers and before norms become residual operands";
  let dependentDialects = ["::heddle::HeddleDialect", "::mlir::tensor::TensorDialect"];
}

def FuseElementwise : Pass<"heddle-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Elementwise operations and broadcasts become few linalg.generic";
  let description = [{
    What no layer took: arith and math on tensors become linalg.generic, as do the broadcasts
    and transposes that they read, and producers are fused into consumers unless that computes
    an element more than once. Products, reductions and softmax keep their names.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def SkipPadding : Pass<"heddle-skip-padding", "::mlir::func::FuncOp"> {
  let summary = "Makes rows of layers zero where the attention mask is 0 and no output depends on them";
  let description = [{
    Flags [batch, positions] from which an attention's mask is made say which positions are
    active. Where it is proven that no result of the function depends on the inactive rows of a
    layer, because every way to a result leads through a multiplication by zero, a select or a key
    that is removed, a linalg.generic behind it makes them zero. The layer's kernel takes that as
    an epilogue and does not compute these rows. Where inactive rows are results themselves,
    those of keys and values are still needed by nobody, but in an entry without an active
    position; nor are values behind another finite score, but in an entry where scores may be
    as low, which the largest query and key tell.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

//===- stage kernels ------------------------------------------------------===//

def ComputeConstants : Pass<"heddle-compute-constants", "::mlir::func::FuncOp"> {
  let summary = "Makes constants that have sizes of a call, and are needed in memory, results of kernels";
  let description = [{
    A library has no room for each size. Only constants with one number everywhere have such a size; what takes
    that number as it is keeps them.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def ExtractColumns : Pass<"heddle-extract-columns", "::mlir::func::FuncOp"> {
  let summary = "Makes the exact columns of layers data, which is no part of their kernels";
  let description = [{
    The exact columns of a rounding, and the same rows of the layer's weight, become numbers that are stored beside that
    weight: layers of a model differ in them, and would else each have a kernel of their own. Columns that are an operand
    already must be known, as numbers of a recipe: compiled code looks nothing up that was not checked.
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
}

def OutlineKernels : Pass<"heddle-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Groups the operations of @main into private kernel functions";
  let description = [{
    A kernel holds one root (a heddle operation, a softmax, a contraction, a reduction) or a
    group of elementwise operations, with the slices of its operands and the constants it uses.
    Its arguments are inputs and then destinations, one per result, marked
    `bufferization.writable`; @main passes empty tensors. Reshapes stay in @main as views, and
    heddle.weight stays there. A tensor of i1 is one of i8 at every function boundary.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

//===- stage tile ---------------------------------------------------------===//

def NarrowResults : Pass<"heddle-narrow-results", "::mlir::ModuleOp"> {
  let summary = "Stores results of layers that only layers read which round them to bf16 as bf16";
  let description = [{
    They are rounded once, where they are in registers, instead of in each layer that reads them: half of the memory, and
    the same bits. For CPUs whose products read bf16; the layers that make them round their own rows, too.
  }];
  let dependentDialects = [
    "::heddle::HeddleDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def TieTables : Pass<"heddle-tie-tables", "::mlir::ModuleOp"> {
  let summary = "Reads the rows of a table out of the panels that a product takes the same weight in";
  let description = [{
    A decoder's embedding table is often its last layer's weight, transposed. Packed for that layer it would be stored
    twice; the rows that a call looks up are few beside what the layer reads, so each element of them is read where the
    panels have it. A table that is used by anything but single reads stays.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect", "::heddle::HeddleDialect"];
}

//===- stage vectorize ----------------------------------------------------===//

def FoldDequantize : Pass<"heddle-fold-dequantize", "::mlir::func::FuncOp"> {
  let summary = "Makes reads through heddle.dequantize reads of what is stored that convert what they load";
  let description = [{
    Of what has scales, reads are of these as well, at the numbers of the blocks that the elements belong to. A view
    whose blocks are none of the tensor's is computed for itself; what reads all of it at once finds it in memory.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::vector::VectorDialect", "::heddle::HeddleDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

//===- stage bufferize ----------------------------------------------------===//

def AssignWeights : Pass<"heddle-assign-weights", "::mlir::ModuleOp"> {
  let summary = "Gives every heddle.weight its place in one block of bytes, an argument of @main";
  let options = [
    Option<"alignment", "alignment", "int64_t", "64", "of each">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def CheckStateCopies : Pass<"heddle-check-state-copies", "::mlir::ModuleOp"> {
  let summary = "A state that would be copied is an error";
  let description = [{
    Behind bufferization: a state is updated in the caller's memory, unless something reads the old state behind the
    update. Then bufferization has copied it, which would make each call as slow as the state is long.
  }];
}

def BindResults : Pass<"heddle-bind-results", "::mlir::ModuleOp"> {
  let summary = "Makes @main's results arguments, and writes results of functions to their destinations";
  let description = [{
    A result that is a state is no argument of its own: its destination is the argument that is the same state.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::tensor::TensorDialect"];
}

def GroupAccesses : Pass<"heddle-group-accesses", "::mlir::func::FuncOp"> {
  let summary = "Makes runs of reads and writes of tensors' elements one operation each, for bufferization";
  let dependentDialects = ["::heddle::HeddleDialect", "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"];
}

def OrderGlobals : Pass<"heddle-order-globals", "::mlir::ModuleOp"> {
  let summary = "Gives constants in memory their names and places in the order of their uses";
  let description = [{
    Upstream's bufferization makes them function by function, in an order that depends on addresses: the same model
    would be other code the next time, and sizes in ranges could not be told by comparing two compilations.
  }];
}

//===- stage plan ---------------------------------------------------------===//

def PlanMemory : Pass<"heddle-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Replaces allocations by views of one arena";
  let description = [{
    Buffers that are not needed at the same time share bytes. A kernel gets its own scratch as
    an argument; what is allocated in a parallel loop becomes scratch of its worker, which
    follows the shared part of the arena once per worker.
  }];
  let options = [
    Option<"workgroups", "workgroups", "bool", "false",
           "parallel loops are workgroups, which have memory of their own, and buffers have fixed places">,
    Option<"alignment", "alignment", "int64_t", "64", "of buffers outside of parallel loops">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

//===- stage dispatch -----------------------------------------------------===//

def StreamResults : Pass<"heddle-stream-results", "::mlir::func::FuncOp"> {
  let summary = "Writes large results past the caches and reads rows ahead";
  let description = [{
    In functions that a strategy marked with `heddle.stream_results`: stores of whole vectors to a
    result are marked as non-temporal, in a second form of the task that runs where the
    result's address is a multiple of the vector's size; the rows of the next step are
    prefetched while those of this one are written.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def OutlineTasks : Pass<"heddle-outline-tasks", "::mlir::ModuleOp"> {
  let summary = "Turns each scf.forall into a task function and heddle.dispatch";
  let description = [{
    Iterations are numbered in row-major order. Loops inside a task, loops of one iteration
    and loops with so little to do that threads would not help become sequential.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "256", "width of a vector register: how much there is to do">
  ];
  let dependentDialects = ["::heddle::HeddleDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def RefuseLowPrecision : Pass<"heddle-refuse-low-precision", "::mlir::ModuleOp"> {
  let summary = "Refuses what devices have no code for: quantised weights, rounded rows, and floats of other types than theirs";
  let options = [
    ListOption<"elements", "elements", "std::string", "types of floats that the device stores, as in MLIR; none: any">
  ];
}

def OutlineLaunches : Pass<"heddle-outline-launches", "::mlir::ModuleOp"> {
  let summary = "Turns each outermost scf.forall into a function of a device and heddle.launch";
  let description = [{
    Its iterations are workgroups where it holds other parallel loops, or else threads. Copies between
    buffers become such loops. Whatever else has an effect is refused: a device has no thread for it.
  }];
  let options = [
    Option<"threads", "threads", "int64_t", "256", "of a workgroup">
  ];
  let dependentDialects = ["::heddle::HeddleDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

//===- stage loops --------------------------------------------------------===//

def LowerCopies : Pass<"heddle-lower-copies"> {
  let summary = "Turns copies between buffers into loops over their rows";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def LowerVectors : Pass<"heddle-lower-vectors"> {
  let summary = "Lowers contractions, transpositions, reductions and transfers to vectors of one dimension";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"];
}

def UnrollSums : Pass<"heddle-unroll-sums", "::mlir::func::FuncOp"> {
  let summary = "Loops over threads' sums take four steps at a time, so that scalars beside each other are one load";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

//===- stage llvm ---------------------------------------------------------===//

// Of devices with workgroups and threads.
include "GpuPasses.td"

def ConvertToLLVM : Pass<"heddle-convert-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Converts everything to the LLVM dialect, buffers to bare pointers";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // HEDDLE_PASSES_TD
