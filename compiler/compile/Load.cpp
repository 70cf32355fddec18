//===- Load.cpp - loads compiled models -----------------------------------===//

#include "heddle/Compile.h"
#include "heddle/Link.h"
#include "heddle/TemporaryFile.h"

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
  llvm::Expected<TemporaryFile> created = TemporaryFile::create("so");
  if (!created)
    return created.takeError();
  auto library = std::make_shared<TemporaryFile>(std::move(*created));
  if (failed(writeSharedLibrary(context, library->path(), *compiled.object)))
    return llvm::createStringError("cannot write the library for the runner");
  return Session::fromRunner(runner, library->path(), "", "", library); // the session deletes the file when it ends
}
