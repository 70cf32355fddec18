//===- WeightTable.cpp - offsets of a module's weights --------------------===//

#include "heddle/WeightTable.h"
#include "heddle/Recipe.h"

#include "Notes.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace heddle;

Attribute heddle::makeWeightEntry(WeightOp op, int64_t offset) {
  Builder builder(op.getContext());
  // In the block of all weights, a boolean is a byte. In the store of the model's tensors, its type is i1.
  auto type = cast<RankedTensorType>(op.getType());
  if (notes::booleanWeight.has(op))
    type = type.clone(builder.getI1Type());
  return builder.getDictionaryAttr({builder.getNamedAttr("name", op.getNameAttr()),
                                    builder.getNamedAttr("offset", builder.getI64IntegerAttr(offset)),
                                    builder.getNamedAttr("recipe", op.getRecipe()),
                                    builder.getNamedAttr("type", TypeAttr::get(type))});
}

/// Returns a heddle.weight operation for an entry of a table, because evaluateRecipe needs an operation.
static OwningOpRef<WeightOp> makeWeight(ModuleOp module, DictionaryAttr entry) {
  OpBuilder builder(module.getContext());
  return WeightOp::create(builder, module.getLoc(), cast<TypeAttr>(entry.get("type")).getValue(),
                          cast<StringAttr>(entry.get("name")), cast<ArrayAttr>(entry.get("recipe")));
}

LogicalResult heddle::evaluateWeights(ModuleOp module, const WeightStore &store,
                                      function_ref<void(ArrayRef<char>)> write, WeightCheck check) {
  std::optional<ArrayAttr> table = notes::weightTable.get(module);
  std::optional<int64_t> size = notes::weightsSize.get(module);
  if (!table || !size)
    return module.emitError("the module has no weight table: expected a module after stage bufferize");
  int64_t position = 0;
  auto pad = [&](int64_t to) {
    static constexpr char zeros[4096] = {};
    for (; position < to; position += std::min<int64_t>(to - position, sizeof(zeros)))
      write(ArrayRef(zeros).take_front(to - position));
  };
  for (auto entry : table->getAsRange<DictionaryAttr>()) {
    FailureOr<std::vector<char>> bytes = evaluateRecipe(*makeWeight(module, entry), store);
    if (failed(bytes) || (check && failed(check(entry, *bytes))))
      return failure();
    store.dropPages();
    int64_t offset = cast<IntegerAttr>(entry.get("offset")).getInt();
    if (offset < position || offset > *size || int64_t(bytes->size()) > *size - offset)
      return module.emitError("weight table: the entry ")
             << entry << " does not fit between byte " << position << ", the end of the previous entry, and byte "
             << *size << ", the end of the weights";
    pad(offset);
    write(*bytes);
    position += bytes->size();
  }
  pad(*size);
  return success();
}

uint64_t heddle::largestWeight(ModuleOp module) {
  uint64_t largest = 0;
  if (std::optional<ArrayAttr> table = notes::weightTable.get(module))
    for (auto entry : table->getAsRange<DictionaryAttr>())
      if (auto type = dyn_cast<RankedTensorType>(cast<TypeAttr>(entry.get("type")).getValue()))
        largest = std::max<uint64_t>(largest, storedSize(type).value_or(0));
  return largest;
}

namespace {
/// Bufferizes a weight to a read-only view of the block of all weights, at the offset that the pass
/// heddle-assign-weights has chosen.
struct WeightModel : bufferization::BufferizableOpInterface::ExternalModel<WeightModel, WeightOp> {
  bool bufferizesToAllocation(Operation *, Value) const { return false; }
  bool isWritable(Operation *, Value, const bufferization::AnalysisState &) const { return false; }
  bufferization::AliasingValueList getAliasingValues(Operation *, OpOperand &,
                                                     const bufferization::AnalysisState &) const {
    return {};
  }

  FailureOr<bufferization::BufferLikeType> getBufferType(Operation *op, Value value,
                                                         const bufferization::BufferizationOptions &,
                                                         const bufferization::BufferizationState &,
                                                         SmallVector<Value> &) const {
    auto type = cast<RankedTensorType>(value.getType());
    return cast<bufferization::BufferLikeType>(Type(MemRefType::get(type.getShape(), type.getElementType())));
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter, const bufferization::BufferizationOptions &,
                          bufferization::BufferizationState &) const {
    auto func = op->getParentOfType<func::FuncOp>();
    Value block = notes::weights.argumentOf(func);
    std::optional<int64_t> offset = notes::weightOffset.get(op);
    if (!block || !offset)
      return op->emitOpError("has no offset in the block of weights: run heddle-assign-weights before bufferization");
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Value start = arith::ConstantIndexOp::create(rewriter, op->getLoc(), *offset);
    Value view =
        memref::ViewOp::create(rewriter, op->getLoc(), MemRefType::get(type.getShape(), type.getElementType()),
                               block, start, ValueRange{});
    bufferization::replaceOpWithBufferizedValues(rewriter, op, view);
    return success();
  }
};
} // namespace

void heddle::registerWeightBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    context->loadDialect<bufferization::BufferizationDialect, memref::MemRefDialect>();
    WeightOp::attachInterface<WeightModel>(*context);
  });
}
