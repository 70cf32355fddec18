//===- Passes.td - every pass of the compiler -----------------------------===//
//
// A pass has the same name in its entry here, in its source file <Pass>.cpp in the folder of its subject (Tile and
// Vectorize are in strategies/StrategyPasses.cpp), and, for most passes, in its tests tests/.../<pass>.mlir and
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
    Functions of f32 and f64 become polynomials, so that generated code neither calls libm nor moves values out of
    vector registers. The expansions of tanh, acos, erfc, log1p and expm1 of f32 are upstream's; all other expansions
    are Heddle's own. sqrt, rsqrt and absf are left to later passes, and an erf of f32 with the flag afn to
    heddle-expand-dots. Results for -inf, +inf and NaN are those of libm. The tables contain the largest error over all
    arguments (tests/targets/math/expand_math_test.cpp and expand_elementary_test.cpp measure it). Errors are relative
    unless the last column says otherwise. In f32:

    | function | error | |
    |---|---|---|
    | exp | 2.4e-7 | results below the normal range become 0 |
    | `heddle.exp_nonpositive` | 2.4e-7 - 1.9e-8 x | for x <= 0 (in softmax: x minus the maximum) |
    | `heddle.exp2_nonpositive` | 2.4e-7 | for x <= 0 (in attention: scores times log2(e), minus their maximum) |
    | erf | 3.1e-7 | the absolute error is at most 2.2e-7 |
    | tanh | 4e-7 | |
    | log, log2, log10, log1p | 2.4e-7 | denormals included |
    | expm1 | 3.2e-7 | |
    | sin, cos | 2e-7 | for all finite numbers, however large |
    | tan | 3.2e-7 | for all finite numbers, however large |
    | asin, acos, atan | 2.4e-7 | asin and acos of x with abs(x) > 1 are NaN |
    | sinh | 3.2e-7 | finite wherever the exact result is finite in f32 |
    | cosh, asinh, acosh, atanh | 2.4e-7 | finite wherever the exact result is finite in f32 |
    | cbrt | 1.2e-7 | |
    | pow, exp2 | 1e-7 | at most 0.8 ulp, also of denormal results; special cases as in C |
    | atan2 | 3.6e-7 | results for zeros and infinities as in C |

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
    | exp, erf, tanh, expm1 | 8e-16 | results of exp below the normal range become 0 |
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}

def ExpandConversions : Pass<"heddle-expand-conversions"> {
  let summary = "Replaces by arithmetic the conversions of f16 and bf16 for which the CPU has no instruction";
  let description = [{
    The arithmetic converts scalars and vectors, rounds to the nearest value with ties to even, and handles denormals,
    infinities and NaN. A conversion from f64 rounds only once. An arith.truncf from f32 to bf16 with the flag afn is
    not replaced here but by heddle-expand-dots.
  }];
  let options = [
    Option<"half", "half", "bool", "false", "whether the CPU has conversions between f16 and f32">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandDots : Pass<"heddle-expand-dots"> {
  let summary = "Replaces heddle.dot by dot-product instructions of the CPU, or by products of wider numbers";
  let description = [{
    Dot products of bytes are exact. On x86-64 they become vpdpbusd (AVX512-VNNI, AVX-VNNI), or otherwise two vpmaddwd
    of the even and the odd bytes as 16-bit numbers; nothing saturates. vpdpbusd requires an unsigned left operand; a
    signed left operand costs one more vpdpbusd for each right operand, and an exclusive or for each left operand. On
    64-bit Arm they become sdot (dotprod) or usdot (i8mm). A dot product of 16-bit numbers with bytes becomes one
    vpmaddwd on x86-64, after the bytes are extended.

    Dot products of bf16 become vdpbf16ps (AVX512-BF16) or bfdot. Without these instructions, the second elements of
    each pair are multiplied and added in f32, then the first ones. Whatever mode the program has set, vdpbf16ps and
    bfdot treat denormal inputs as zero and flush denormal sums to zero. The product of a denormal input and a factor f
    may therefore differ from the exact product by up to 2^-126 |f|, and a sum from the exact sum by up to 2^-126.

    Since denormal inputs of these products have no effect, an arith.truncf to bf16 with the flag afn may flush a
    denormal result to zero. Such an operation on a vector becomes vcvtneps2bf16 if the CPU has this instruction. All
    others become the same arithmetic as an arith.truncf without the flag.

    In layers with dot products, the erf of a GELU has the flag afn. This pass replaces such an erf, and
    heddle-expand-math does not. If the CPU can look up numbers in a register (AVX512DQ), a GELU of a vector of up to 16
    numbers becomes max(x, 0) minus a polynomial of |x| on each of several intervals (targets/cpu/ExpandGelu.h).
    Otherwise the erf becomes the polynomial that also replaces all other erf operations.
  }];
  let options = [
    ListOption<"features", "features", "std::string", "all features of the CPU, including sse2, as LLVM names them">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def Tile : Pass<"heddle-tile", "::mlir::ModuleOp"> {
  let summary = "Selects a strategy for each kernel and runs the strategy's @tile, which lowers the kernel";
  let options = [
    Option<"target", "target", "std::string", "\"cpu\"", "the target of the strategies: a kind of device, or gpu to use only strategies that are for all GPUs">,
    ListOption<"features", "features", "std::string", "the features of the CPU, as LLVM names them">,
    ListOption<"limits", "limits", "std::string", "NAME=VALUE: the facts of the target on which knobs depend">,
    ListOption<"strategies", "strategy", "std::string", "OP=NAME|FILE[:knob=value,...], separated by commas; {{OP=NAME:knob=value,knob=value}} with several knobs">
  ];
}

def Vectorize : Pass<"heddle-vectorize", "::mlir::ModuleOp"> {
  let summary = "Runs @vectorize of the strategy that heddle-tile has selected";
}

// Passes that rewrite a model and its kernels as tensors.
include "ModelPasses.td"

//===- stage bufferize ----------------------------------------------------===//

def AssignWeights : Pass<"heddle-assign-weights", "::mlir::ModuleOp"> {
  let summary = "Assigns each heddle.weight an offset in one block of bytes, which becomes an argument of @main";
  let options = [
    Option<"alignment", "alignment", "int64_t", "64", "the alignment of each weight, in bytes">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def CheckStateCopies : Pass<"heddle-check-state-copies", "::mlir::ModuleOp"> {
  let summary = "Refuses states that would be copied";
  let description = [{
    The pass runs after bufferization. A state is updated in the caller's memory, unless an operation reads the old
    state after the update, or the model returns the state without updating it in place. In these cases, bufferization
    has inserted a copy. The longer the state is, the longer this copy would take in each call. If each call replaces
    the state, only copies of the whole old state are refused.
  }];
}

def BindResults : Pass<"heddle-bind-results", "::mlir::ModuleOp"> {
  let summary = "Turns the results of @main into arguments, and makes functions write results to their destinations";
  let description = [{
    No argument is added for a result that is a state: its destination is the argument that is the same state.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::tensor::TensorDialect"];
}

def GroupAccesses : Pass<"heddle-group-accesses", "::mlir::func::FuncOp"> {
  let summary = "Groups consecutive reads and writes of tensor elements into one operation, for bufferization";
  let description = [{
    The operation is heddle.accesses, which exists only during bufferization. For each access to a tensor, one-shot
    bufferization compares all reads of the tensor with all writes. This would take a long time for the many reads and
    writes of a vectorized tile.
  }];
  let dependentDialects = ["::heddle::HeddleDialect", "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"];
}

def OrderGlobals : Pass<"heddle-order-globals", "::mlir::ModuleOp"> {
  let summary = "Names and orders constants in memory by their first uses";
  let description = [{
    Upstream's bufferization creates these constants in an order that depends on addresses. Without this pass, the code
    for a model would vary from one compilation to the next. A model with sizes in ranges is compiled with two to four
    sets of placeholders, and the modules are compared to find the constants that depend on sizes (dialect/SIZES.md).
  }];
}

//===- stage plan ---------------------------------------------------------===//

def PlanMemory : Pass<"heddle-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Replaces allocations by views of one arena";
  let description = [{
    Buffers whose lifetimes do not overlap may share bytes. The scratch memory of a kernel is passed to it as an
    argument. An allocation in a parallel loop becomes scratch memory of a thread; the scratch memory of all threads
    follows the shared part of the arena.
  }];
  let options = [
    Option<"workgroups", "workgroups", "bool", "false",
           "parallel loops are workgroups with memory of their own, and buffers have fixed offsets">,
    Option<"alignment", "alignment", "int64_t", "64", "the alignment of buffers outside of parallel loops, in bytes">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

//===- stage dispatch -----------------------------------------------------===//

def StreamResults : Pass<"heddle-stream-results", "::mlir::func::FuncOp"> {
  let summary = "Writes large results with nontemporal stores and prefetches the rows that are read next";
  let description = [{
    The pass applies to functions that a strategy has marked with `heddle.stream_results`. The body of a parallel loop
    gets two versions: in one of them, stores of whole vectors to a result that the function does not read are
    nontemporal, if their positions in the result are known to be multiples of the vector's size. This version runs if
    the result's address is such a multiple, too, and the other version runs otherwise. If the end and the step of the
    loop over rows around these stores are constants, the last inner loop that reads a row prefetches the row that the
    next iteration reads in its place.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def OutlineTasks : Pass<"heddle-outline-tasks", "::mlir::ModuleOp"> {
  let summary = "Turns each scf.forall into a task function and heddle.dispatch";
  let description = [{
    The iterations of a loop with several dimensions are numbered in row-major order; task i executes iteration i. Loops
    inside a task become sequential loops. So does a loop with one iteration, or with too little work for several
    threads, if its number of iterations does not depend on sizes.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "256", "width of a vector register, to estimate the work of a loop">
  ];
  let dependentDialects = ["::heddle::HeddleDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def RefuseLowPrecision : Pass<"heddle-refuse-low-precision", "::mlir::ModuleOp"> {
  let summary = "Refuses operations on types that the device has no code for";
  let description = [{
    An error names the operation and the type. The pass refuses float types that the device cannot store, tensors that
    are stored with scales, and attention that rounds to a type if the device does not compute attention with products
    of this type. It also refuses a linear layer that rounds its rows to a type if the device does not compute products
    of this type, if the elements of the weight are not numbers of this type, or if the layer has outlier channels,
    which are not rounded.
  }];
  let options = [
    ListOption<"elements", "elements", "std::string", "MLIR names of the float types that the device can store; empty: any">,
    ListOption<"products", "products", "std::string", "MLIR names of the types whose products linear layers compute on the device">,
    ListOption<"attentionProducts", "attention-products", "std::string", "MLIR names of the types whose products attention computes on the device">
  ];
}

def OutlineLaunches : Pass<"heddle-outline-launches", "::mlir::ModuleOp"> {
  let summary = "Turns each outermost scf.forall into a kernel function of a device and heddle.launch";
  let description = [{
    The iterations of the loop are workgroups if it contains other parallel loops or allocates tiles (matrices that all
    threads of a workgroup read and write together), otherwise threads. Copies between buffers become parallel loops,
    too. Outside of parallel loops, any other operation with side effects except calls is refused, since no thread of
    the device would execute it.
  }];
  let options = [
    Option<"threads", "threads", "int64_t", "256", "the number of threads in a workgroup">
  ];
  let dependentDialects = ["::heddle::HeddleDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def PipelineTiles : Pass<"heddle-pipeline-tiles", "::mlir::func::FuncOp"> {
  let summary = "Lets the copies of later steps of a loop over tiles take place while a step computes";
  let description = [{
    The annotation `heddle.stages` of a loop is the number of buffers that the loop gets for each tile that it copies
    into workgroup memory. The copies of a step become async and begin `stages` - 1 steps earlier. Each step waits for
    its own copies, begins the copies of a later step and commits them as a group, and then computes:

    ```mlir
    scf.for %k = %c0 to %c256 step %c16 {           // stages = 3
      heddle.tile_wait pending(1)
      scf.if %exists {
        heddle.tile_copy async %x[%row, %later] into %later_left : ...
        heddle.tile_copy async %w[%later, %column] into %later_right : ...
      }
      heddle.tile_commit
      linalg.matmul ins(%left, %right : ...) outs(%sums : ...)
    }
    ```

    A loop with one stage does not change. A loop is refused if its copies cannot begin earlier, for example
    because it writes to memory other than tiles or because a copy depends on a result of the previous step.
  }];
  let dependentDialects = ["::heddle::HeddleDialect", "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

//===- stage loops --------------------------------------------------------===//

def LowerCopies : Pass<"heddle-lower-copies"> {
  let summary = "Turns copies between buffers into loops over their elements";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def LowerTileProducts : Pass<"heddle-lower-tile-products"> {
  let summary = "Lowers products of tiles that matrix instructions compute to operations of dialect amx";
  let dependentDialects = ["::mlir::amx::AMXDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::LLVM::LLVMDialect"];
}

def LowerVectors : Pass<"heddle-lower-vectors"> {
  let summary = "Lowers contractions, transpositions, reductions and transfers to vectors of one dimension";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"];
}

def UnrollSums : Pass<"heddle-unroll-sums", "::mlir::func::FuncOp"> {
  let summary = "Unrolls loops that add products of adjacent scalars, so that one load can read four scalars";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

//===- stage llvm ---------------------------------------------------------===//

// Passes for devices with workgroups and threads.
include "GpuPasses.td"

def ConvertToLLVM : Pass<"heddle-convert-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Converts all operations to the LLVM dialect, and buffers to bare pointers";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // HEDDLE_PASSES_TD
