//===- OrderGlobals.cpp - order of constants ------------------------------===//
//
// Upstream's bufferization creates memref.global operations in an order that depends on the addresses of objects in the
// compiler. The pass heddle-order-globals gives these operations an order and names that depend only on their first
// uses, so that each compilation of a model produces the same code.
//
//===----------------------------------------------------------------------===//

#include "heddle/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_ORDERGLOBALS
#include "heddle/Passes.h.inc"
} // namespace heddle

/// Returns the name without the suffix `_N` that upstream added to make it unique.
static StringRef withoutNumber(StringRef name) {
  StringRef stem = name.rtrim("0123456789");
  return stem.size() < name.size() && stem.consume_back("_") && !stem.empty() ? stem : name;
}

namespace {
struct OrderGlobals : heddle::impl::OrderGlobalsBase<OrderGlobals> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    llvm::MapVector<memref::GlobalOp, SmallVector<memref::GetGlobalOp>> used; // in the order of first uses
    module.walk([&](memref::GetGlobalOp get) {
      if (auto global = symbols.lookup<memref::GlobalOp>(get.getName()))
        used[global].push_back(get);
    });
    // Upstream's suffixes count constants in the order of their creation, including constants of other types. All names
    // are therefore assigned again.
    llvm::StringMap<unsigned> counts;
    llvm::StringSet<> taken;
    for (Operation &op : *module.getBody())
      if (auto global = dyn_cast<memref::GlobalOp>(op); !global || !used.contains(global))
        if (auto symbol = dyn_cast<SymbolOpInterface>(op))
          taken.insert(symbol.getName());
    for (auto &[global, uses] : used) {
      StringRef stem = withoutNumber(global.getSymName());
      std::string name;
      do {
        unsigned count = counts[stem]++;
        name = count ? (stem + "_" + Twine(count - 1)).str() : stem.str();
      } while (taken.contains(name));
      global->moveBefore(&module.getBody()->front());
      global.setSymName(name);
      for (memref::GetGlobalOp get : uses)
        get.setName(name);
    }
  }
};
} // namespace
