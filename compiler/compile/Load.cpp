//===- Load.cpp - compiled models loaded, here or elsewhere ---------------===//

#include "heddle/Compile.h"
#include "heddle/Link.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"

using namespace mlir;
using namespace heddle;

llvm::Expected<std::unique_ptr<Session>> heddle::loadHere(CompiledModel compiled, StringRef name, StringRef variant,
                                                          DevicePtr device) {
  if (!compiled.whyNotHere.empty())
    return llvm::createStringError(compiled.whyNotHere);
  return Session::fromObject(std::move(compiled.object), name, std::move(compiled.weights), variant,
                             std::move(device));
}

llvm::Expected<std::unique_ptr<Session>> heddle::loadElsewhere(MLIRContext &context, const CompiledModel &compiled,
                                                               StringRef runner) {
  llvm::SmallString<128> path;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile("heddle", "so", path))
    return llvm::createStringError("no temporary file: " + error.message());
  auto remover = std::make_shared<llvm::FileRemover>(path);
  if (failed(writeSharedLibrary(context, path, *compiled.object)))
    return llvm::createStringError("there is no library for the runner");
  return Session::fromRunner(runner, path, "", "", std::move(remover));
}
