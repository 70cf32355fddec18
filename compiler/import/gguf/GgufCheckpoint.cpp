//===- GgufCheckpoint.cpp - the weights of a GGUF file --------------------===//

#include "GgufCheckpoint.h"

#include "GgufConfig.h"

#include "Heddle.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;

GgufCheckpoint::GgufCheckpoint(const GgufShards &shards, const GgufArchitecture &architecture, const GgufConfig &config,
                               StringRef prefix)
    : Checkpoint(shards.first().getLoc()), architecture(architecture), prefix(prefix),
      heads(config.integer("num_attention_heads")), keyHeads(config.integer("num_key_value_heads")),
      used(config.tensors) {
  scalesAreWhole = true;
}

FailureOr<std::unique_ptr<Checkpoint>> GgufCheckpoint::open(const GgufShards &shards,
                                                            const GgufArchitecture &architecture,
                                                            const GgufConfig &config, StringRef prefix) {
  std::unique_ptr<GgufCheckpoint> checkpoint(new GgufCheckpoint(shards, architecture, config, prefix));
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
  name.consume_front(prefix);
  auto [stem, end] = name.rsplit('.');
  // The index of the layer, which is a part of the name, becomes N.
  SmallVector<StringRef> parts;
  stem.split(parts, '.');
  StringRef index;
  for (StringRef &part : parts)
    if (llvm::all_of(part, llvm::isDigit))
      index = std::exchange(part, "N");
  std::string general = llvm::join(parts, ".");
  for (ArrayRef<GgufTensorName> list : architecture.tensors)
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
  Format format = tensor.type.format;
  SmallVector<int64_t> shape(store.find(tensor.name)->type.getShape()); // [rows, bytes of a row]
  SmallVector<Attribute> steps = orderRows(tensor.name, shape);
  if (layout.part) {
    Layout::Part part = *layout.part;
    part.dim = 0; // weight() has checked that the part consists of rows
    addPart(steps, shape, part, builder.getContext());
  }
  Value bytes = WeightOp::create(builder, RankedTensorType::get(shape, builder.getI8Type()),
                                 builder.getStringAttr(tensor.name), builder.getArrayAttr(steps));
  shape.back() = shape.back() / format.getBlockBytes() * format.getBlockLength();
  if (layout.transposed)
    std::swap(shape[0], shape[1]);
  auto type = RankedTensorType::get(shape, builder.getF32Type());
  return DequantizeOp::create(builder, type, bytes, format, layout.transposed);
}

Value GgufCheckpoint::weight(ImplicitLocOpBuilder &builder, ArrayRef<std::string> names, const Layout &layout) {
  std::string name;
  SmallVector<int64_t> shape = storedShape(layout);
  const GgufTensor *tensor = find(builder.getLoc(), names, shape, name);
  const StoredTensor *stored = tensor ? store.find(name) : nullptr;
  if (!stored || !tensor->type.format)
    return floats(builder, name, stored, stored ? orderRows(name, shape) : SmallVector<Attribute>(), layout);
  int64_t rows = layout.transposed ? 1 : 0; // the dimension of the rows of the file
  if (shape.size() == 2 && (!layout.part || layout.part->dim == rows))
    return dequantize(builder, *tensor, layout);
  fail();
  emitError(builder.getLoc()) << "tensor '" << name << "': the type " << tensor->type.name
                              << " is supported only for matrices";
  return floats(builder, name, nullptr, {}, layout);
}

LinearWeight GgufCheckpoint::linearWeight(ImplicitLocOpBuilder &builder, ArrayRef<std::string> names,
                                          const Layout &layout) {
  Layout stored = layout;
  stored.transposed = true;
  return {weight(builder, names, stored)};
}

void GgufCheckpoint::finish() {
  for (StringRef name : store.names())
    if (!failed() && !used.count(name.str())) {
      fail();
      emitError(loc) << "tensor '" << name
                     << "': the importer does not use this tensor, which may change what the model computes";
    }
}
