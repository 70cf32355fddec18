//===- LowerPrecision.cpp - layers and tables in fewer bits ---------------===//

#include "StoredLayers.h"

#include "heddle/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_LOWERPRECISION
#include "heddle/Passes.h.inc"
} // namespace heddle

/// Erases the op that defines `value` if the op has no users. If this op is a heddle.dequantize, its first operand is
/// the stored weight; also erases the op that defines this weight if it has no other users.
static void eraseIfUnused(Value value) {
  while (Operation *op = value ? value.getDefiningOp() : nullptr) {
    if (!op->use_empty())
      return;
    value = isa<DequantizeOp>(op) ? op->getOperand(0) : Value();
    op->erase();
  }
}

unsigned heddle::lowerPrecision(ModuleOp module, const PrecisionPlan &plan) {
  unsigned count = 0;
  OpBuilder b(module.getContext());
  // Tables are changed first, while lookups are their only users: replacing a layer changes the users of its weight.
  if (plan.choice.of(ModelPart::Embedding) != LayerFormat::F32)
    for (Value table : findTables(module)) {
      ++count;
      std::string key = weightKey(storedValue(table).getDefiningOp<WeightOp>());
      if (plan.exceptions.contains(key))
        continue;
      b.setInsertionPointAfterValue(table);
      table.replaceAllUsesWith(storeTable(b, table));
      eraseIfUnused(table);
    }
  for (const StoredLayer &layer : takeLayers(module, plan.choice)) {
    ++count;
    LayerFormat format = formatOf(layer, plan);
    if (format == LayerFormat::F32)
      continue;
    LinearOp linear = layer.linear;
    linear.replaceAllUsesWith(roundLayer(b, layer, format, outlierChannelsOf(layer, format, plan)).getResult());
    Value weight = linear.getWeight();
    linear.erase();
    eraseIfUnused(weight);
  }
  if (plan.choice.of(ModelPart::Attention) == LayerFormat::BF16)
    for (AttentionOp attention : findAttention(module)) {
      ++count;
      if (auto left = plan.exceptions.find(attentionKey);
          left == plan.exceptions.end() || left->second != LayerFormat::F32)
        attention.setRounding(b.getBF16Type());
    }
  return count;
}

namespace {
/// The pass heddle-lower-precision, with which tests apply a plan that is given as options.
struct LowerPrecision : heddle::impl::LowerPrecisionBase<LowerPrecision> {
  using LowerPrecisionBase::LowerPrecisionBase;

  /// Splits "WEIGHT:3:99" into the name, which may contain colons itself, and the numbers after it.
  static std::pair<StringRef, SmallVector<int64_t>> parseColumns(StringRef text) {
    SmallVector<int64_t> columns;
    int64_t column;
    for (auto [name, last] = text.rsplit(':'); !last.getAsInteger(10, column);
         std::tie(name, last) = text.rsplit(':')) {
      columns.insert(columns.begin(), column);
      text = name;
    }
    return {text, columns};
  }

  /// Returns the keys (weightKey) of all uses of the weight with this name. A key also contains the recipe, the steps
  /// that are applied to the stored tensor, so uses with different recipes have different keys.
  std::vector<std::string> keysOf(StringRef name) {
    std::vector<std::string> keys;
    getOperation().walk([&](WeightOp weight) {
      if (weight.getName() == name)
        keys.push_back(weightKey(weight));
    });
    return keys;
  }

  void runOnOperation() override {
    PrecisionPlan plan;
    std::string problem = parsePrecision(precision, plan.choice);
    for (StringRef text : outliers) {
      auto [name, columns] = parseColumns(text);
      for (const std::string &key : keysOf(name))
        plan.outliers[key] = columns;
    }
    for (StringRef text : left) {
      PrecisionChoice of;
      auto [name, format] = text.rsplit('=');
      if (problem.empty())
        problem = parsePrecision(format, of);
      for (const std::string &key : keysOf(name))
        plan.exceptions[key] = of.of(ModelPart::Linear);
    }
    if (problem.empty() && !plan.choice.storage.empty())
      problem = "'" + precision + "' does not round computations; this pass supports only precisions that do";
    if (!problem.empty()) {
      getOperation().emitError() << "precision: " << problem;
      return signalPassFailure();
    }
    lowerPrecision(getOperation(), plan);
  }
};
} // namespace
