//===- FaultyLibrary.cpp - a library on a failing device ------------------===//

#include "FaultyLibrary.h"

#include "heddle/Registry.h"

#include "mlir/IR/MLIRContext.h"

using namespace mlir;
using namespace heddle;

void FaultyLibrary::SetUp() {
  auto opened = openDevice("null");
  ASSERT_TRUE(bool(opened)) << llvm::toString(opened.takeError());
  setUp(std::move(*opened), "vulkan");
}

void FaultyLibrary::setUp(DevicePtr device, StringRef kind) {
  inner = std::move(device);
  faulty = std::make_unique<FaultyDevice>(inner.get());
  this->kind = kind.str();
}

std::unique_ptr<Session> FaultyLibrary::load(StringRef kind, DevicePtr device, StringRef text) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  loadImportDialects(context);
  auto imported = importModel(context, text);
  CompileOptions options;
  options.target.device = kind.str();
  if (failed(imported))
    return nullptr;
  auto compiled = compileModel(std::move(*imported), options);
  if (failed(compiled))
    return nullptr;
  weights = compiled->weights;
  auto loaded = loadHere(std::move(*compiled), "model", "", std::move(device));
  return loaded ? std::move(*loaded) : (llvm::consumeError(loaded.takeError()), nullptr);
}

void FaultyLibrary::use(StringRef text) {
  session = load(kind, inner, text);
  ASSERT_TRUE(session);
  model = &session->model();
  arena.resize(model->arena_size(nullptr, 1));
}
