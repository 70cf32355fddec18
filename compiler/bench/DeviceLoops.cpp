//===- DeviceLoops.cpp - kernels that measure device roofs ----------------===//

#include "DeviceLoops.h"

using namespace heddle::bench;

namespace {
/// A format of device code, and the function that creates the benchmark kernels in it.
struct Language {
  llvm::StringLiteral format; // as in heddle_device::format
  llvm::Expected<std::vector<char>> (*make)(mlir::MLIRContext &context);
};
} // namespace

static constexpr Language languages[] = {{"spirv", makeSpirvLoops}, {"ptx", makePtxLoops}};

llvm::Expected<std::vector<char>> heddle::bench::makeDeviceLoops(mlir::MLIRContext &context, llvm::StringRef format) {
  for (const Language &language : languages)
    if (language.format == format)
      return language.make(context);
  return llvm::createStringError("bench has no kernels that measure the roofs of devices whose code has the format " +
                                 format);
}

llvm::ArrayRef<heddle_kernel> heddle::bench::deviceLoopKernels() {
  static const heddle_kernel kernels[] = {{"copy", 2, {deviceLoopThreads, 1, 1}, 0, 0, 0},
                                          {"read", 2, {deviceLoopThreads, 1, 1}, 0, 0, 0},
                                          {"fma", 2, {deviceLoopThreads, 1, 1}, 0, 0, 0}};
  return kernels;
}
