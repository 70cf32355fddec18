//===- Import.cpp - heddle import -----------------------------------------===//

#include "ModelArguments.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

using namespace heddle;

void heddle::addImport(CLI::App &app, int &status) {
  auto arguments = std::make_shared<ModelArguments>();
  arguments->add(app);
  app.callback([arguments, &status] {
    auto context = createContext();
    if (auto model = arguments->import(*context, status))
      model->module->print(llvm::outs());
  });
}
