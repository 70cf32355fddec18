//===- FakeLibrary.cpp - a fake libcuda.so.1 for programs -----------------===//
//
// A program that loads this library uses FakeCuda.h in place of the installed
// CUDA driver. The environment variable HEDDLE_FAKE_CUDA contains settings,
// separated by blanks. version=N, devices=N, architecture=N and memory=BYTES
// change properties. With anyKernel=1, kernels without a function in
// FakeKernels.cpp can be loaded and do nothing. FUNCTION=RESULT makes each call
// of a function of the driver, such as cuMemAlloc_v2, fail with this CUresult;
// FUNCTION=RESULT,N lets N calls succeed first. The functions fake_calls and
// fake_mistake tell a program how the driver was used.
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"

#include <cstdlib>
#include <sstream>

// Applies one setting; returns false if the name is unknown.
static bool spoil(fake::Cuda &cuda, const std::string &name, const std::string &value) {
  long number = strtol(value.c_str(), nullptr, 10);
  if (name == "version")
    cuda.version = int(number);
  else if (name == "devices")
    cuda.devices = int(number);
  else if (name == "architecture")
    cuda.architecture = int(number);
  else if (name == "memory")
    cuda.memory = uint64_t(number);
  else if (name == "anyKernel")
    cuda.anyKernel = number != 0;
  else if (name.compare(0, 2, "cu") == 0)
    cuda.failingFunction = name, cuda.result = heddle::CUresult(number);
  else
    return false;
  if (size_t comma = value.find(','); comma != std::string::npos)
    cuda.passing = strtol(value.c_str() + comma + 1, nullptr, 10);
  return true;
}

extern "C" {
// Returns the names of the driver's functions that were called since the last call of fake_calls, separated by blanks.
// The first call returns "" and begins to record. The text is valid until the next call.
__attribute__((visibility("default"))) const char *fake_calls() {
  static std::string calls;
  std::lock_guard<std::mutex> lock(fake::cuda().mutex);
  fake::cuda().isLogging = true;
  calls = std::move(fake::cuda().log);
  fake::cuda().log.clear();
  return calls.c_str();
}
// Returns the first violation of the driver's API; "" if there is none.
__attribute__((visibility("default"))) const char *fake_mistake() { return fake::cuda().mistake.c_str(); }
}

__attribute__((constructor)) static void prepare() {
  std::istringstream wrong(getenv("HEDDLE_FAKE_CUDA") ? getenv("HEDDLE_FAKE_CUDA") : "");
  for (std::string word; wrong >> word;) {
    size_t equals = word.find('=');
    if (equals == std::string::npos || !spoil(fake::cuda(), word.substr(0, equals), word.substr(equals + 1)))
      abort(); // an unknown setting would have no effect, so the test would check nothing
  }
}
