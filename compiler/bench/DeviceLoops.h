//===- DeviceLoops.h - kernels that do nothing but one thing ----*- C++ -*-===//

#ifndef HEDDLE_BENCH_DEVICELOOPS_H
#define HEDDLE_BENCH_DEVICELOOPS_H

#include "heddle/device.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <vector>

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

/// A program with a kernel for each, in the order of DeviceLoop, in a format that devices take.
llvm::Expected<std::vector<char>> makeDeviceLoops(mlir::MLIRContext &context, llvm::StringRef format);
llvm::ArrayRef<heddle_kernel> deviceLoopKernels();

/// In each format.
llvm::Expected<std::vector<char>> makeSpirvLoops(mlir::MLIRContext &context);
llvm::Expected<std::vector<char>> makePtxLoops(mlir::MLIRContext &context);

} // namespace heddle::bench

#endif // HEDDLE_BENCH_DEVICELOOPS_H
