//===- FakeInterpreter.cpp - a fake CUDA driver that executes PTX ---------===//
//
// With this file, the fake CUDA driver executes kernels of compiled models with
// the interpreter of PTX in compiler/ptx.
//
//===----------------------------------------------------------------------===//

#include "FakeModules.h"
#include "ptx/Decoder.h"
#include "ptx/Launch.h"
#include "ptx/Parser.h"

#include <cstring>

using namespace heddle;

// Executes a launch. The interpreter works on copies of the allocations, which it copies back on success.
static llvm::Error interpret(const CUfunc_st &function, const CUDA_KERNEL_NODE_PARAMS &node,
                             const std::vector<CUdeviceptr> &addresses) {
  auto module = ptx::parse(*function.text);
  if (!module)
    return module.takeError();
  auto program = ptx::decode(**module, *(*module)->find(function.name));
  if (!program)
    return program.takeError();
  std::map<const fake::Bytes *, std::unique_ptr<ptx::Memory>> memories;
  std::vector<ptx::View> views;
  for (CUdeviceptr address : addresses) {
    size_t offset = 0;
    const fake::Bytes *bytes = fake::allocationOf(address, offset);
    if (!bytes)
      return llvm::createStringError(function.name + ": a buffer outside of device memory");
    std::unique_ptr<ptx::Memory> &memory = memories[bytes];
    if (!memory) {
      memory = ptx::Memory::create(bytes->size);
      std::memcpy(memory->at(0), bytes->bytes.get(), bytes->size);
      memory->noteHostWrite(0, bytes->size);
    }
    views.push_back({memory.get(), offset, bytes->size - offset, false});
  }
  std::unique_ptr<ptx::Memory> constants = ptx::makeConstants(*program);
  ptx::Launch launch{*program,
                     {node.blockDimX, node.blockDimY, node.blockDimZ},
                     {node.gridDimX, node.gridDimY, node.gridDimZ},
                     views,
                     node.sharedMemBytes,
                     constants.get()};
  ptx::Clock clock;
  if (llvm::Error error = ptx::execute(launch, clock))
    return error;
  for (auto &[bytes, memory] : memories)
    std::memcpy(bytes->bytes.get(), memory->at(0), bytes->size);
  return llvm::Error::success();
}

__attribute__((constructor)) static void provide() {
  fake::cuda().interpreter = [](const CUfunc_st &function, const CUDA_KERNEL_NODE_PARAMS &node,
                                const std::vector<CUdeviceptr> &addresses) {
    if (llvm::Error error = interpret(function, node, addresses)) {
      fake::mistake(llvm::toString(std::move(error)));
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    }
    return CUDA_SUCCESS;
  };
}
