//===- GgufCheckpoint.cpp - the weights of a GGUF file --------------------===//

#include "GgufCheckpoint.h"

#include "GgufConfig.h"

#include "Heddle.h"

using namespace mlir;
using namespace heddle;

GgufCheckpoint::GgufCheckpoint(const GgufShards &shards, const GgufArchitecture &architecture, int64_t heads,
                               int64_t keyHeads)
    : Checkpoint(shards.first().getLoc()), architecture(architecture), heads(heads), keyHeads(keyHeads) {
  scalesAreWhole = true;
  if (architecture.hasRotaryFactors)
    used.insert(rotaryFactors.str()); // GgufConfig reads this tensor
}

FailureOr<std::unique_ptr<Checkpoint>> GgufCheckpoint::open(const GgufShards &shards,
                                                            const GgufArchitecture &architecture, int64_t heads,
                                                            int64_t keyHeads) {
  std::unique_ptr<GgufCheckpoint> checkpoint(new GgufCheckpoint(shards, architecture, heads, keyHeads));
  for (auto [file, path] : llvm::zip_equal(shards.files, shards.paths)) {
    if (mlir::failed(file.addTo(checkpoint->store)))
      return failure();
    checkpoint->files.push_back({path});
    for (const GgufTensor &tensor : file.getTensors())
      checkpoint->tensors[tensor.name] = tensor;
  }
  return std::unique_ptr<Checkpoint>(std::move(checkpoint));
}

std::string GgufCheckpoint::nameInFile(StringRef name) const {
  name.consume_front("model.");
  auto [stem, end] = name.rsplit('.');
  // The index of the layer, which follows `layers.`, becomes N.
  std::string general = stem.str();
  StringRef index, rest = stem;
  if (rest.consume_front("layers.")) {
    std::tie(index, rest) = rest.split('.');
    general = ("layers.N." + rest).str();
  }
  for (ArrayRef<GgufTensorName> list : {getSharedGgufTensors(), architecture.tensors})
    for (const GgufTensorName &entry : list)
      if (entry.family == general) {
        std::string file = entry.file.str();
        if (size_t at = file.find('N'); at != std::string::npos)
          file.replace(at, 1, index.str());
        return file + "." + end.str();
      }
  return "";
}

/// Returns a shape as a text such as 32x16.
static std::string shapeText(ArrayRef<int64_t> shape) {
  return llvm::join(llvm::map_range(shape, [](int64_t size) { return std::to_string(size); }), "x");
}

const GgufTensor *GgufCheckpoint::find(Location loc, ArrayRef<std::string> names, ArrayRef<int64_t> shape,
                                       std::string &name) {
  if (failed())
    return nullptr;
  for (const std::string &candidate : names) {
    name = nameInFile(candidate);
    auto found = name.empty() ? tensors.end() : tensors.find(name);
    if (found == tensors.end())
      continue;
    used.insert(name);
    const GgufTensor &tensor = found->second;
    if (ArrayRef<int64_t>(tensor.shape) == shape)
      return &tensor;
    fail();
    emitError(loc) << "tensor '" << name << "': expected the shape " << shapeText(shape)
                   << " according to the metadata, found " << shapeText(tensor.shape);
    return nullptr;
  }
  fail();
  name = nameInFile(names.front());
  emitError(loc) << "the file has no tensor '" << name << "'";
  return nullptr;
}

SmallVector<Attribute> GgufCheckpoint::orderRows(StringRef name, ArrayRef<int64_t> shape) const {
  StringRef stem = name.rsplit('.').first;
  bool isQuery = stem.ends_with(".attn_q");
  if (!architecture.pairsAreAdjacent || (!isQuery && !stem.ends_with(".attn_k")))
    return {};
  // In the file, the rows of a head are pairs; in families, all first elements of pairs precede all second ones.
  int64_t groups = isQuery ? heads : keyHeads, pairs = shape[0] / groups / 2;
  SmallVector<int64_t> split = {groups, pairs, 2}, order = {0, 2, 1};
  for (int64_t size : shape.drop_front()) {
    order.push_back(order.size());
    split.push_back(size);
  }
  MLIRContext *context = loc.getContext();
  return {ReshapeStepAttr::get(context, split), TransposeStepAttr::get(context, order),
          ReshapeStepAttr::get(context, shape)};
}

Value GgufCheckpoint::dequantize(ImplicitLocOpBuilder &builder, const GgufTensor &tensor, const Layout &layout) const {
  MLIRContext *context = builder.getContext();
  const GgufType &type = *tensor.type;
  SmallVector<int64_t> stored(store.find(tensor.name)->type.getShape()); // [rows, blocks of a row, f16 of a block]
  int64_t rows = stored[0], inRow = stored[1], length = type.blockLength, bytes = type.blockBytes;
  const SmallVector<Attribute> ordered = orderRows(tensor.name, stored);
  // Creates the weight whose recipe is `steps`, which make a matrix [rows, columns], and then those of the layout.
  auto finish = [&](SmallVector<Attribute> steps, int64_t columns, Type element) -> Value {
    SmallVector<int64_t> shape = {rows, columns};
    steps.push_back(ReshapeStepAttr::get(context, shape));
    if (layout.transposed) {
      steps.push_back(TransposeStepAttr::get(context, {1, 0}));
      std::swap(shape[0], shape[1]);
    }
    if (layout.part)
      addPart(steps, shape, *layout.part, context);
    if (isa<FloatType>(element))
      steps.push_back(CastStepAttr::get(context, element));
    return WeightOp::create(builder, RankedTensorType::get(shape, element), builder.getStringAttr(tensor.name),
                            builder.getArrayAttr(steps));
  };
  // Returns the f16 number `index` of each block as f32.
  auto header = [&](int64_t index) {
    SmallVector<Attribute> steps = ordered;
    steps.push_back(SliceStepAttr::get(context, {0, 0, index}, {rows, inRow, 1}));
    return finish(steps, inRow, builder.getF32Type());
  };
  SmallVector<Attribute> codes = ordered;
  int64_t codeBytes = length * type.codes.bits / 8;
  codes.push_back(BytesStepAttr::get(context));
  codes.push_back(ReshapeStepAttr::get(context, {rows, inRow, bytes}));
  codes.push_back(SliceStepAttr::get(context, {0, 0, bytes - codeBytes}, {rows, inRow, codeBytes}));
  if (type.codes.bits == 4) { // the two halves of a byte are half a block apart
    codes.push_back(NibblesStepAttr::get(context));
    codes.push_back(ReshapeStepAttr::get(context, {rows, inRow, codeBytes, 2}));
    codes.push_back(TransposeStepAttr::get(context, {0, 1, 3, 2}));
  }
  if (type.codes.zero)
    codes.push_back(AddStepAttr::get(context, -type.codes.zero));
  Value integers = finish(codes, inRow * length, builder.getI8Type());
  Value scales = header(0), minima = type.codes.hasMinima ? header(1) : Value();
  SmallVector<int64_t> block = {1, length};
  if (layout.transposed)
    std::swap(block[0], block[1]);
  auto floats = cast<RankedTensorType>(integers.getType()).clone(builder.getF32Type());
  return DequantizeOp::create(builder, floats, integers, scales, /*zero_points=*/Value(), minima, /*outliers=*/Value(),
                              block, /*outlier_rows=*/ArrayRef<int64_t>());
}

Value GgufCheckpoint::weight(ImplicitLocOpBuilder &builder, ArrayRef<std::string> names, const Layout &layout) {
  std::string name;
  SmallVector<int64_t> shape = storedShape(layout);
  const GgufTensor *tensor = find(builder.getLoc(), names, shape, name);
  const StoredTensor *stored = tensor ? store.find(name) : nullptr;
  if (!stored || ArrayRef<int64_t>(shape) == stored->type.getShape())
    return floats(builder, name, stored, stored ? orderRows(name, shape) : SmallVector<Attribute>(), layout);
  if (shape.size() == 2 && (!layout.part || layout.part->dim == 1))
    return dequantize(builder, *tensor, layout);
  fail();
  emitError(builder.getLoc()) << "tensor '" << name << "': the type " << tensor->type->name
                              << " is supported only for matrices";
  return floats(builder, name, nullptr, {}, layout);
}

LinearWeight GgufCheckpoint::linearWeight(ImplicitLocOpBuilder &builder, ArrayRef<std::string> names,
                                          const Layout &layout) {
  return {weight(builder, names, layout)};
}

void GgufCheckpoint::finish() {
  for (StringRef name : store.names())
    if (!failed() && !used.count(name.str())) {
      fail();
      emitError(loc) << "tensor '" << name << "': the model has no such tensor, which may change what it computes";
    }
}
