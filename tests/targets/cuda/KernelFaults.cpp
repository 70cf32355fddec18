//===- KernelFaults.cpp - faults that the PTX interpreter finds -----------===//

#include "KernelFaults.h"

using namespace heddle;
using namespace mlir;

void KernelFaults::expectNamed(StringRef operation, Stage stage, function_ref<void(ModuleOp)> change,
                               StringRef instruction, StringRef reason) {
  auto model = importModel(context, operation);
  ASSERT_TRUE(succeeded(model));
  auto inputs = *randomInputs(model->module->lookupSymbol<func::FuncOp>("main"), 1);
  CompileOptions options;
  options.target.device = "cuda";
  options.strategies = {strategy};
  options.changeModule = [&](Stage after, ModuleOp module) {
    if (after == stage)
      change(module);
    return success();
  };
  auto compiled = compileModel(std::move(*model), options);
  ASSERT_TRUE(succeeded(compiled));
  std::string text(compiled->deviceCode.begin(), compiled->deviceCode.end());
  auto session = loadHere(std::move(*compiled), "model", "", device);
  ASSERT_TRUE(bool(session)) << llvm::toString(session.takeError());
  std::vector<std::vector<char>> in, out;
  std::vector<const void *> inPointers;
  std::vector<void *> outPointers;
  for (const Tensor &input : inputs)
    inPointers.push_back(in.emplace_back(input.toBytes()).data());
  out.emplace_back((*session)->bytesOf((*session)->model().outputs[0]));
  outPointers.push_back(out.front().data());
  std::string error = llvm::toString((*session)->run(inPointers, outPointers, nullptr));
  EXPECT_NE(error.find("k0_launch0 "), std::string::npos) << error;
  EXPECT_NE(error.find(reason.str()), std::string::npos) << error;
  size_t at = error.find("PTX line ");
  ASSERT_NE(at, std::string::npos) << error;
  unsigned line = 0;
  ASSERT_FALSE(StringRef(error).drop_front(at + 9).consumeInteger(10, line)) << error;
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  ASSERT_TRUE(line > 0 && line <= lines.size()) << error;
  EXPECT_TRUE(lines[line - 1].contains(instruction)) << lines[line - 1].str();
}
