//===- AssignWeights.cpp - assigns offsets to weights ---------------------===//
//
// All weights of a module are in one block of bytes, which is an argument of @main. Each distinct pair of tensor and
// recipe (the steps that are applied to the tensor) is stored once, aligned for vectors. The module contains a table of
// the weights, from which the block is written later. An entry of the table consists of the name of the stored tensor,
// the recipe, the type of the result, and the offset in the block. If the module already has a table, which comes from
// the same model compiled for another CPU or other sizes, each weight is looked up in the table. The lookup also finds
// a weight that is a range of rows of a stored weight (such as the first positions of a table of embeddings), or that
// has the elements of a stored weight in another shape. Weights that are not found are added to the table.
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

/// If the weight of `entry` is a range of rows of a stored weight of type `whole`, returns the offset of these rows in
/// bytes, and the entry that the stored weight would have with the offset 0. Otherwise returns nothing.
static std::optional<std::pair<int64_t, DictionaryAttr>> findWhole(DictionaryAttr entry, RankedTensorType whole) {
  Builder b(entry.getContext());
  auto recipe = entry.getAs<ArrayAttr>("recipe");
  auto type = cast<RankedTensorType>(entry.getAs<TypeAttr>("type").getValue());
  auto rows = recipe.empty() ? SliceStepAttr() : dyn_cast<SliceStepAttr>(recipe.getValue().back());
  if (!rows || whole.getElementType() != type.getElementType() || whole.getRank() != type.getRank() ||
      type.getRank() == 0 || whole.getShape().drop_front() != type.getShape().drop_front() ||
      llvm::any_of(rows.getOffsets().drop_front(), [](int64_t offset) { return offset != 0; }))
    return std::nullopt;
  int64_t row = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (int64_t extent : type.getShape().drop_front())
    row *= extent;
  NamedAttrList entries(entry);
  entries.set("recipe", b.getArrayAttr(recipe.getValue().drop_back()));
  entries.set("type", TypeAttr::get(whole));
  return std::pair(row * rows.getOffsets().front(), entries.getDictionary(b.getContext()));
}

/// Returns `entry` without the reshapes at the end of its recipe, and with a type of rank 1. The results for two
/// entries are equal if the entries differ only in the shape in which they describe the same bytes.
static DictionaryAttr withoutShape(DictionaryAttr entry) {
  Builder b(entry.getContext());
  auto type = cast<RankedTensorType>(entry.getAs<TypeAttr>("type").getValue());
  ArrayRef<Attribute> steps = entry.getAs<ArrayAttr>("recipe").getValue();
  while (!steps.empty() && isa<ReshapeStepAttr>(steps.back()))
    steps = steps.drop_back();
  NamedAttrList entries(entry);
  entries.set("recipe", b.getArrayAttr(steps));
  entries.set("type", TypeAttr::get(RankedTensorType::get(type.getNumElements(), type.getElementType())));
  return entries.getDictionary(b.getContext());
}

namespace {
struct AssignWeights : heddle::impl::AssignWeightsBase<AssignWeights> {
  using AssignWeightsBase::AssignWeightsBase;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!main || main.isExternal()) {
      module.emitError("expected a function @main with a body");
      return signalPassFailure();
    }
    Builder builder(module.getContext());
    int64_t size = notes::weightsSize.get(module).value_or(0);
    SmallVector<Attribute> table;
    DenseMap<Attribute, int64_t> offsets; // the offset of each weight; the key is its entry with offset 0
    // The entries of the table that the module already has, with offset 0, and their offsets; the key is the name of
    // the stored tensor.
    llvm::StringMap<SmallVector<std::pair<DictionaryAttr, int64_t>>> known;
    auto keyOf = [&](Attribute entry) {
      NamedAttrList entries(cast<DictionaryAttr>(entry));
      entries.set("offset", builder.getI64IntegerAttr(0));
      return entries.getDictionary(module.getContext());
    };
    for (Attribute entry : notes::weightTable.get(module).value_or(builder.getArrayAttr({}))) {
      table.push_back(entry);
      auto fields = cast<DictionaryAttr>(entry);
      int64_t offset = fields.getAs<IntegerAttr>("offset").getInt();
      offsets[keyOf(entry)] = offset;
      known[fields.getAs<StringAttr>("name").getValue()].push_back({cast<DictionaryAttr>(keyOf(entry)), offset});
    }
    // Returns the offset of a weight that is a part of a stored weight, or is stored in another shape.
    auto findThere = [&](Attribute key) -> std::optional<int64_t> {
      auto fields = cast<DictionaryAttr>(key);
      for (auto [whole, offset] : known.lookup(fields.getAs<StringAttr>("name").getValue())) {
        if (withoutShape(whole) == withoutShape(fields))
          return offset;
        auto found = findWhole(fields, cast<RankedTensorType>(whole.getAs<TypeAttr>("type").getValue()));
        if (found && found->second == whole && (offset + found->first) % alignment == 0)
          return offset + found->first;
      }
      return std::nullopt;
    };
    WalkResult result = module.walk([&](WeightOp op) {
      if (op->getParentOp() != main) {
        op.emitError("heddle.weight is allowed only in @main; kernels take weights as arguments");
        return WalkResult::interrupt();
      }
      auto type = cast<RankedTensorType>(op.getType());
      Attribute entry = makeWeightEntry(op, size);
      auto [it, isNew] = offsets.try_emplace(keyOf(entry), size);
      if (std::optional<int64_t> there = isNew ? findThere(keyOf(entry)) : std::nullopt) {
        it->second = *there;
      } else if (isNew) {
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
