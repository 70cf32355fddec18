//===- DeviceLoops.h - kernels that do nothing but one thing ----*- C++ -*-===//

#ifndef HEDDLE_BENCH_DEVICELOOPS_H
#define HEDDLE_BENCH_DEVICELOOPS_H

#include "heddle/device.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace heddle::bench {

/// What RoofLoops are on a CPU: kernels of two buffers, which read the first and write the second, or nothing.
enum class DeviceLoop { Copy, Read, Fma };
inline constexpr uint64_t deviceLoopThreads = 128; // of a workgroup: every device has so many
/// Of a workgroup: bytes that it copies or reads, and that multiply-adds begin with.
inline constexpr uint64_t deviceLoopBytes = deviceLoopThreads * 4 * 16, deviceFmaBytes = deviceLoopThreads * 3 * 16;
/// Of a thread: chains of multiply-adds, none of which waits for another.
inline constexpr uint64_t deviceFmaChains = 8, deviceFmaSteps = 256;
/// What is read is summed up; the sum is written, with its vector, if it is this: no sum of what bench reads is.
inline constexpr float deviceLoopSum = 0x1p100f;

/// SPIR-V with a kernel for each, in the order of DeviceLoop.
llvm::Expected<llvm::SmallVector<uint32_t, 0>> makeDeviceLoops(mlir::MLIRContext &context);
llvm::ArrayRef<heddle_kernel> deviceLoopKernels();

} // namespace heddle::bench

#endif // HEDDLE_BENCH_DEVICELOOPS_H
