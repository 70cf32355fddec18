#include "Kernels.h"

#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <algorithm>

std::string heddle::ptx::execute(const std::string &text, const std::vector<const Buffer *> &buffers,
                                 const Shape &shape) {
  auto module = parse(text);
  if (!module)
    return toString(module.takeError());
  auto program = decode(**module, (*module)->kernels.front());
  if (!program)
    return toString(program.takeError());
  std::vector<View> views;
  for (const Buffer *buffer : buffers)
    views.push_back(buffer->view());
  std::unique_ptr<Memory> constants = makeConstants(*program);
  Launch launch{*program,          shape.threads,   shape.groups,   views,
                shape.sharedBytes, constants.get(), shape.counters, 1 << 20};
  Clock clock;
  llvm::Error error = execute(launch, clock);
  return error ? toString(std::move(error)) : "";
}

std::string heddle::ptx::kernel(unsigned parameters, const std::string &body, const std::string &declarations) {
  std::string text = ".version 8.0 .target sm_80 .address_size 64 " + declarations + " .visible .entry k(";
  for (unsigned i = 0; i < parameters; ++i)
    text += (i ? ", .param .u64 p" : ".param .u64 p") + std::to_string(i);
  text += ") { .reg .pred %p<16>; .reg .b16 %h<64>; .reg .b32 %r<64>; .reg .f32 %f<64>; .reg .b64 %rd<64>; "
          ".reg .f64 %fd<16>; mov.u32 %r0, %tid.x;";
  for (unsigned i = 0; i < parameters; ++i)
    text += " ld.param.u64 %rd" + std::to_string(i) + ", [p" + std::to_string(i) + "];";
  return text + body + "\n ret; }\n";
}

unsigned heddle::ptx::lineOf(const std::string &text, const std::string &part) {
  size_t found = text.find(part);
  return found == std::string::npos ? 0 : 1 + unsigned(std::count(text.begin(), text.begin() + long(found), '\n'));
}

std::string heddle::ptx::readInput(const std::string &name) {
  auto file = llvm::MemoryBuffer::getFile(std::string(HEDDLE_TEST_DATA) + "/Inputs/" + name);
  EXPECT_TRUE(bool(file)) << name;
  return file ? (*file)->getBuffer().str() : "";
}
