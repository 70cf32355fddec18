//===- AssignWeights.cpp - a place for every weight -----------------------===//
//
// All weights of a module lie in one block of bytes: each distinct recipe once,
// aligned for vectors. @main gets that block as an argument; the module keeps
// the table by which the block is written. A module that has a table, of the same
// model compiled for another CPU, finds its weights there and adds what it lacks.
//
//===----------------------------------------------------------------------===//

#include "heddle/Passes.h"
#include "heddle/WeightTable.h"

#include "Heddle.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_ASSIGNWEIGHTS
#include "heddle/Passes.h.inc"
} // namespace heddle

namespace {
struct AssignWeights : heddle::impl::AssignWeightsBase<AssignWeights> {
  using AssignWeightsBase::AssignWeightsBase;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!main || main.isExternal()) {
      module.emitError("expected a function @main");
      return signalPassFailure();
    }
    Builder builder(module.getContext());
    int64_t size = notes::weightsSize.get(module).value_or(0);
    SmallVector<Attribute> table;
    DenseMap<Attribute, int64_t> offsets; // by the entry as if it were at 0
    auto keyOf = [&](Attribute entry) {
      NamedAttrList entries(cast<DictionaryAttr>(entry));
      entries.set("offset", builder.getI64IntegerAttr(0));
      return entries.getDictionary(module.getContext());
    };
    for (Attribute entry : notes::weightTable.get(module).value_or(builder.getArrayAttr({}))) {
      table.push_back(entry);
      offsets[keyOf(entry)] = cast<DictionaryAttr>(entry).getAs<IntegerAttr>("offset").getInt();
    }
    WalkResult result = module.walk([&](WeightOp op) {
      if (op->getParentOp() != main) {
        op.emitError("heddle.weight belongs into @main; kernels take weights as arguments");
        return WalkResult::interrupt();
      }
      auto type = cast<RankedTensorType>(op.getType());
      Attribute entry = makeWeightEntry(op, size);
      auto [it, isNew] = offsets.try_emplace(keyOf(entry), size);
      if (isNew) {
        table.push_back(entry);
        int64_t bytes = type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
        size = llvm::alignTo(size + bytes, alignment);
      }
      notes::weightOffset.set(op, it->second);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    notes::weightTable.set(module, builder.getArrayAttr(table));
    notes::weightsSize.set(module, size);
    auto type = MemRefType::get({std::max<int64_t>(size, 1)}, builder.getI8Type());
    if (failed(main.insertArgument(main.getNumArguments(), type, {}, main.getLoc())))
      return signalPassFailure();
    notes::weights.set(main, main.getNumArguments() - 1);
  }
};
} // namespace
