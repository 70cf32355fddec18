//===- ShrinkModule.cpp - reduction of modules ----------------------------===//
//
// Each edit (Edits.h) changes a copy of the module. Edited modules that are invalid or unchanged are discarded.
//
//===----------------------------------------------------------------------===//

#include "Edits.h"
#include "Shrink.h"

#include "heddle/Import.h"
#include "heddle/Registry.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

/// Returns a context with all dialects that random modules use.
static MLIRContext &context() {
  static MLIRContext *context = [] {
    DialectRegistry registry;
    heddle::registerDialects(registry);
    auto *made = new MLIRContext(registry, MLIRContext::Threading::DISABLED); // never deleted: used until the end
    heddle::loadImportDialects(*made);
    made->printOpOnDiagnostic(false);
    return made;
  }();
  return *context;
}

/// Removes operations whose results are unused, and unused arguments.
static void dropUnused(func::FuncOp main) {
  auto all = llvm::to_vector(llvm::make_pointer_range(main.front().without_terminator()));
  for (Operation *op : llvm::reverse(all))
    if (isOpTriviallyDead(op))
      op->erase();
  llvm::BitVector unused(main.getNumArguments());
  for (BlockArgument argument : main.getArguments())
    unused[argument.getArgNumber()] = argument.use_empty();
  (void)main.eraseArguments(unused);
}

/// Returns whether a result of the function is an uninitialised tensor. Such a module fails, too, but its failure does
/// not show an error of the compiler.
static bool returnsUndefined(func::FuncOp main) {
  return llvm::any_of(main.front().getTerminator()->getOperands(),
                      [](Value result) { return result.getDefiningOp<tensor::EmptyOp>(); });
}

static std::string printed(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text + "\n";
}

std::vector<std::string> smallerModules(const std::string &text) {
  // The verifier and the parser report errors for invalid edits; this handler drops them.
  ScopedDiagnosticHandler silent(&context(), [](Diagnostic &) { return success(); });
  std::vector<std::string> choices;
  auto module = parseSourceString<ModuleOp>(text, &context());
  auto main = module ? module->lookupSymbol<func::FuncOp>("main") : func::FuncOp();
  if (!main)
    return choices;
  std::string whole = printed(*module);
  for (EditFamily edit : editFamilies())
    for (unsigned i = 0;; ++i) {
      OwningOpRef<ModuleOp> copy = module->clone();
      auto function = copy->lookupSymbol<func::FuncOp>("main");
      Edited edited = edit(function, i);
      if (edited == Edited::End)
        break;
      if (edited == Edited::Nothing)
        continue;
      dropUnused(function);
      if (failed(verify(*copy)) || returnsUndefined(function))
        continue;
      // The verifier accepts modules in which mandatory operands are missing, but the parser does not.
      std::string smaller = printed(*copy);
      if (smaller != whole && parseSourceString<ModuleOp>(smaller, &context()))
        choices.push_back(std::move(smaller));
    }
  return choices;
}
