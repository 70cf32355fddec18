//===- GpuPasses.td - passes of stage llvm for devices -----*- tablegen -*-===//

#ifndef HEDDLE_GPUPASSES_TD
#define HEDDLE_GPUPASSES_TD

include "mlir/Pass/PassBase.td"

def KernelsToGpu : Pass<"heddle-kernels-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Makes the kernels of heddle.launch functions of a gpu.module";
  let description = [{
    A thread does its iterations of each loop over threads, and waits for the others behind it; buffers
    outside of these loops are in workgroup memory, but for those of which each thread has a part for itself.
    Where the number of workgroups is made of sizes, a kernel counts them before the others; or as many as the largest
    sizes need are launched, and those past the last one leave.
  }];
  let options = [
    Option<"threads", "threads", "int64_t", "256", "that a workgroup has at most">,
    Option<"subgroup", "subgroup", "int64_t", "0",
           "threads that execute an instruction together, of which workgroups are then multiples; 0: unknown">,
    Option<"countsWorkgroups", "counts-workgroups", "bool", "true",
           "the device reads how many workgroups a launch has when it begins">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def WidenAccesses : Pass<"heddle-widen-accesses", "::mlir::ModuleOp"> {
  let summary = "Makes buffers of a gpu.module that are accessed by vectors of four elements buffers of such vectors";
  let description = [{
    Where all vectors lie at multiples of four, and nothing smaller is stored: SPIR-V loads and stores elements
    of a buffer, not parts or several of them. A scalar is then loaded with its neighbours, which are loaded
    once for all four. In other buffers vectors become scalars. Arguments are cast at the launches.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"];
}

def SetSpirvTarget : Pass<"heddle-set-spirv-target", "::mlir::ModuleOp"> {
  let summary = "Says which SPIR-V a gpu.module becomes, and how large its workgroups are";
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

def DecorateSpirv : Pass<"heddle-decorate-spirv"> {
  let summary = "Tells drivers that buffers may be the same, that arithmetic is to stay as it is, and what barriers wait for";
}

def ExpandForSpirv : Pass<"heddle-expand-for-spirv"> {
  let summary = "Expands what SPIR-V has no instruction for: trunc, comparisons that are constants, arithmetic on i1";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def RuntimeArrays : Pass<"heddle-runtime-arrays"> {
  let summary = "Makes buffers of SPIR-V as long as the call has them, where sizes lie in ranges";
}

def PlaceWorkgroupMemory : Pass<"heddle-place-workgroup-memory", "::mlir::ModuleOp"> {
  let summary = "Makes buffers of workgroups in a gpu.module parts of one array, whose length the launches say";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def ExpandForPtx : Pass<"heddle-expand-for-ptx"> {
  let summary = "Expands reductions over sub-groups to shuffles, and what else PTX has no instruction for";
  let options = [
    Option<"subgroup", "subgroup", "int64_t", "32", "threads of a sub-group">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect"];
}

def ConvertToNvvm : Pass<"heddle-convert-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Converts the kernels of a gpu.module to the LLVM dialect, buffers to bare pointers, indices to 32 bits";
  let description = [{
    Functions of NVIDIA's libdevice are not called: square roots, quotients and reciprocals round as IEEE 754 has it.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif // HEDDLE_GPUPASSES_TD
