//===- ptx_fuzzer.cpp - PTX files -----------------------------------------===//

#include "Fuzz.h"

#include "ptx/Launch.h"

#include <cstring>

using namespace heddle;
using namespace heddle::ptx;

constexpr size_t bufferBytes = 1 << 14;

/// Runs the kernel if it needs little memory and time, with and without counters.
static void tryKernel(const Program &program) {
  std::vector<std::unique_ptr<Memory>> memories;
  std::vector<View> views;
  for (size_t i = 0; i < program.parameters.size(); ++i) {
    memories.push_back(Memory::create(bufferBytes));
    std::memset(memories.back()->at(0), int(i), bufferBytes);
    if (i != 1) // the second buffer stays unwritten
      memories.back()->noteHostWrite(0, bufferBytes);
    views.push_back({memories.back().get(), 0, bufferBytes});
  }
  std::unique_ptr<Memory> constants = makeConstants(program);
  Counters counters;
  Clock clock; // shared by both runs: the order of writes
  for (Counters *counts : {&counters, static_cast<Counters *>(nullptr)}) {
    Launch launch{program, {64, 1, 1}, {2, 1, 1}, views, 1 << 14, constants.get(), counts, 1000};
    llvm::Error error = execute(launch, clock);
    require(!error || !toString(std::move(error)).empty(), "an error says what is wrong");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto module = parse(asText(data, size));
  if (!module) {
    require(llvm::StringRef(toString(module.takeError())).starts_with("line "), "an error has a line");
    return 0;
  }
  for (const Kernel &kernel : (*module)->kernels) {
    auto program = decode(**module, kernel);
    if (!program)
      require(!toString(program.takeError()).empty(), "an error says what is wrong");
    else if (program->parameters.size() < 16)
      tryKernel(*program);
  }
  return 0;
}
