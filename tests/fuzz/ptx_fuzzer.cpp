//===- ptx_fuzzer.cpp - PTX files -----------------------------------------===//
//
// Tests compiler/ptx, an interpreter of PTX, which checks kernels for NVIDIA GPUs on machines without one.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include "ptx/Launch.h"

#include <cstring>

using namespace heddle;
using namespace heddle::ptx;

constexpr size_t bufferBytes = 1 << 14; // the size of each buffer that is passed to a kernel

/// Runs the kernel twice, with at most 1000 instructions for each warp. Only the first run counts events. Either run
/// may end with an error.
static void tryKernel(const Program &program) {
  std::vector<std::unique_ptr<Memory>> memories;
  std::vector<View> views;
  for (size_t i = 0; i < program.parameters.size(); ++i) {
    memories.push_back(Memory::create(bufferBytes));
    std::memset(memories.back()->at(0), int(i), bufferBytes);
    if (i != 1) // the second buffer remains uninitialized, so that reads of it are reported
      memories.back()->noteHostWrite(0, bufferBytes);
    views.push_back({memories.back().get(), 0, bufferBytes});
  }
  std::unique_ptr<Memory> constants = makeConstants(program);
  Counters counters;
  // The clock gives each access a time, which is needed to detect races. The memories keep the times of accesses, so
  // that both runs, which use the same memories, need the same clock.
  Clock clock;
  for (Counters *counts : {&counters, static_cast<Counters *>(nullptr)}) {
    Launch launch{program, {64, 1, 1}, {2, 1, 1}, views, 1 << 14, constants.get(), counts, 1000};
    llvm::Error error = execute(launch, clock);
    require(!error || !toString(std::move(error)).empty(), "an error has no message");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto module = parse(asText(data, size));
  if (!module) {
    require(llvm::StringRef(toString(module.takeError())).starts_with("line "), "a parse error does not name a line");
    return 0;
  }
  for (const Kernel &kernel : (*module)->kernels) {
    auto program = decode(**module, kernel);
    if (!program)
      require(!toString(program.takeError()).empty(), "an error has no message");
    else if (program->parameters.size() < 16)
      tryKernel(*program);
  }
  return 0;
}
