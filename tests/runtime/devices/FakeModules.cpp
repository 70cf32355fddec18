//===- FakeModules.cpp - fake CUDA driver: PTX, cubins --------------------===//
//
// The fake driver does not translate PTX. Its "cubin" is the PTX text after a
// magic word, and a kernel of a module is the host function of the same name.
//
//===----------------------------------------------------------------------===//

#include "FakeModules.h"

#include <cstring>
#include <sstream>

using namespace fake;
using namespace heddle;

namespace heddle {
struct CUlinkState_st {
  char *log; // the caller's buffer for error messages, and its size
  size_t logSize;
  std::string cubin;
};
struct CUmod_st {
  std::string text; // the PTX
  std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
};
} // namespace heddle

static const std::string magic = "fake cubin: ";

// Checks a PTX text and returns errors like the compiler of CUDA's driver: for a PTX version above 8.4, and for the
// instruction no.such.instruction. Sets `log` to the message of an error.
static CUresult compile(const std::string &text, std::string &log) {
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::string prefix = "ptxas application ptx input, line " + std::to_string(number) + "; ";
    size_t version = line.find(".version ");
    if (version == 0 && std::stod(line.substr(9)) > 8.4)
      return log = prefix + "fatal   : Unsupported .version " + line.substr(9) + "; current version is '8.4'\n",
             CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    if (line.find("no.such.instruction") != std::string::npos)
      return log = prefix + "error   : Not a name of any known instruction: 'no'\n", CUDA_ERROR_INVALID_PTX;
  }
  return CUDA_SUCCESS;
}

namespace heddle {
extern "C" {

CUresult cuLinkCreate_v2(unsigned count, CUjit_option *options, void **values, CUlinkState *state) {
  ENTER(Context);
  auto made = std::make_unique<CUlinkState_st>();
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
      made->log = static_cast<char *>(values[i]);
    else if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      made->logSize = size_t(reinterpret_cast<uintptr_t>(values[i]));
  *state = made.release();
  ++cuda().alive;
  return CUDA_SUCCESS;
}
CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *, unsigned,
                          CUjit_option *, void **) {
  ENTER(Context);
  const char *text = static_cast<const char *>(data);
  if (type != CU_JIT_INPUT_PTX || !size || text[size - 1])
    return mistake("cuLinkAddData: a text that does not end in 0"), CUresult(1);
  std::string log;
  CUresult result = compile(text, log);
  snprintf(state->log, state->logSize, "%s", log.c_str());
  state->cubin = magic + text;
  ++cuda().compiled;
  return result;
}
CUresult cuLinkComplete(CUlinkState state, void **cubin, size_t *size) {
  ENTER(Context);
  *cubin = state->cubin.data();
  *size = state->cubin.size() + 1;
  return CUDA_SUCCESS;
}
CUresult cuLinkDestroy(CUlinkState state) { return fake::destroy(__func__, state); }

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  ENTER(Context);
  const char *cubin = static_cast<const char *>(image);
  if (strncmp(cubin, magic.c_str(), magic.size()) != 0)
    return CUDA_ERROR_INVALID_IMAGE;
  *module = new CUmod_st{cubin + magic.size(), {}};
  ++cuda().alive;
  return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule module) { return fake::destroy(__func__, module); }
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  ENTER(Context);
  size_t start = module->text.find(".entry " + std::string(name) + "(");
  Kernel kernel = findKernel(name);
  if (start == std::string::npos || (!kernel && !cuda().anyKernel && !cuda().interpreter))
    return CUDA_ERROR_NOT_FOUND;
  auto made = std::make_unique<CUfunc_st>();
  made->kernel = kernel || cuda().interpreter ? kernel : [](const Group &) {};
  made->text = &module->text;
  made->name = name;
  size_t end = module->text.find(')', start);
  for (size_t at = module->text.find(".param ", start); at < end; at = module->text.find(".param ", at + 1))
    ++made->parameters;
  *function = made.get();
  module->functions[name] = std::move(made);
  return CUDA_SUCCESS;
}
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction) {
  ENTER(Context);
  *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? cuda().threads : 0;
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  ENTER(Context);
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    function->maxDynamicMemory = unsigned(value);
  return CUDA_SUCCESS;
}

} // extern "C"
} // namespace heddle
