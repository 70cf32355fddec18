//===- OrderGlobals.cpp - constants in the order of their uses ------------===//

#include "heddle/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_ORDERGLOBALS
#include "heddle/Passes.h.inc"
} // namespace heddle

namespace {
struct OrderGlobals : heddle::impl::OrderGlobalsBase<OrderGlobals> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    llvm::MapVector<memref::GlobalOp, SmallVector<memref::GetGlobalOp>> used; // in the order of the first uses
    module.walk([&](memref::GetGlobalOp get) {
      if (auto global = symbols.lookup<memref::GlobalOp>(get.getName()))
        used[global].push_back(get);
    });
    // The names of each type, in the order in which they were made: each was put before the others.
    llvm::MapVector<Type, SmallVector<StringAttr>> names;
    for (auto global : module.getOps<memref::GlobalOp>())
      if (used.contains(global))
        names[global.getType()].push_back(global.getSymNameAttr());
    for (auto &[global, uses] : used) {
      StringAttr name = names[global.getType()].pop_back_val();
      global->moveBefore(&module.getBody()->front());
      global.setSymNameAttr(name);
      for (memref::GetGlobalOp get : uses)
        get.setNameAttr(FlatSymbolRefAttr::get(name));
    }
  }
};
} // namespace
