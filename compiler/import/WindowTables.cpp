//===- WindowTables.cpp - constants that are a window of a table ----------===//

#include "WindowTables.h"

#include "ConstantRules.h"
#include "Corners.h"

#include "onnx/Constants.h"

using namespace mlir;
using namespace heddle;
using onnx::Numbers;

/// Where windows may be: `length` is how long one is, `place` where it begins, numbers of sizes.
struct WindowTables::Sum {
  size_t length, place;
  ArrayRef<SizeRange> ranges;

  int64_t total() const { return ranges[length].high + ranges[place].high; }
};

/// Of a table: its rows from `begin` on.
struct WindowTables::Part {
  int64_t begin;
  DenseElementsAttr elements;
};

static bool isSize(const Sizes &sizes, int64_t number, StringRef name) {
  Extent extent = sizes.of(number);
  return extent.factor == 1 && extent.sizes.size() == 1 && extent.sizes.front() == name;
}

/// The rows of all parts along `dim`, and zeros before them, which nobody reads; null where they do not fit together.
DenseElementsAttr WindowTables::join(ArrayRef<Part> parts, unsigned dim, int64_t rows) {
  RankedTensorType type = cast<RankedTensorType>(parts.front().elements.getType());
  Numbers shape(type.getShape());
  shape[dim] = rows;
  auto joined = RankedTensorType::get(shape, type.getElementType());
  std::vector<char> bytes(*storedSize(joined));
  int64_t outer = llvm::product_of(ArrayRef(shape).take_front(dim));
  size_t width = bytes.size() / size_t(outer * rows);
  for (const Part &part : parts) {
    Numbers partShape(cast<RankedTensorType>(part.elements.getType()).getShape());
    int64_t partRows = std::exchange(partShape[dim], rows);
    if (partShape != shape)
      return {};
    std::vector<char> from = onnx::bytesOf(part.elements);
    for (int64_t i = 0; i < outer; ++i)
      std::copy_n(from.begin() + i * partRows * width, partRows * width,
                  bytes.begin() + (i * rows + part.begin) * width);
  }
  return onnx::fromBytes(joined, bytes);
}

/// Of one size; null where it cannot be imported.
ModuleOp WindowTables::importOnce(ArrayRef<int64_t> values, ImportAt import) {
  auto [found, isNew] = imported.try_emplace(std::vector<int64_t>(values), failure());
  if (isNew)
    found->second = import(values);
  return succeeded(found->second) ? found->second->module.get() : ModuleOp();
}

/// The constants of imports that are together `rows` long, no more at a time than an importer computes of a mask.
bool WindowTables::collect(const Sum &sum, int64_t rows, ModuleOp model, const ConstantRules &rules,
                           std::map<unsigned, std::vector<Part>> &parts, ImportAt import) {
  // Of one batch, mostly: masks are not computed where there are too many.
  SmallVector<int64_t> values = llvm::map_to_vector(sum.ranges, [](const SizeRange &range) { return range.low; });
  int64_t most = std::max(sum.ranges[sum.length].high, onnx::foldLimit / rows);
  for (int64_t place = sum.ranges[sum.place].low; place < rows; place += most) {
    values[sum.place] = place;
    values[sum.length] = std::max(std::min(most, rows - place), sum.ranges[sum.length].low);
    ModuleOp fixed = importOnce(values, import);
    auto keep = [&](unsigned number, DenseElementsAttr, DenseElementsAttr elements) {
      parts[number].push_back({place, elements});
      return true;
    };
    if (!fixed || failed(isSameAt(model, values, fixed, rules, keep)))
      return false;
  }
  return true;
}

void WindowTables::find(const Sum &sum, ModuleOp model, ConstantRules &rules, ImportAt import) {
  Sizes sizes(model);
  std::map<unsigned, DenseElementsAttr> constants;
  forEachConstant(model, [&](unsigned number, arith::ConstantOp op) {
    auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
    if (elements && !elements.isSplat() && storedElementSize(elements.getElementType()) &&
        llvm::any_of(elements.getType().getShape(),
                     [&](int64_t extent) { return isSize(sizes, extent, sum.ranges[sum.length].name); }))
      constants[number] = elements;
  });
  if (constants.empty())
    return;
  // Longer than it need be, if the model has room, so that what stands for the sizes may be large.
  std::map<unsigned, std::vector<Part>> parts;
  constexpr int64_t enough = 256;
  if (!collect(sum, std::max(sum.total(), enough), model, rules, parts, import) &&
      (parts.clear(), !collect(sum, sum.total(), model, rules, parts, import)))
    return;
  SmallVector<int64_t> stands = llvm::map_to_vector(sum.ranges, [](const SizeRange &range) { return range.stands; });
  for (const auto &[number, constant] : constants) {
    if (!parts.count(number))
      continue;
    ArrayRef<int64_t> shape = constant.getType().getShape();
    const Part &last = parts[number].back();
    for (auto [dim, extent] : llvm::enumerate(shape)) {
      if (!isSize(sizes, extent, sum.ranges[sum.length].name))
        continue;
      ConstantRule rule;
      rule.table = join(parts[number], dim, last.begin + last.elements.getType().getShape()[dim]);
      rule.begin.resize(shape.size());
      rule.begin[dim] = sum.ranges[sum.place].name.str();
      DenseElementsAttr expected = rule.table ? elementsAt(rule, shape, sizes, stands) : DenseElementsAttr();
      if (expected && onnx::bytesOf(expected) == onnx::bytesOf(constant))
        rules[number] = rule;
    }
  }
}

void WindowTables::find(const ImportOptions &options, ModuleOp model, ConstantRules &rules, ImportAt import) {
  Sizes sizes(model);
  ScopedDiagnosticHandler quiet(model.getContext(), [](Diagnostic &) { return success(); });
  for (const DimSum &sum : options.sums)
    if (sum.terms.size() == 2)
      for (auto [length, place] : {std::pair(1, 0), std::pair(0, 1)})
        find(Sum{size_t(*sizes.find(sum.terms[length])), size_t(*sizes.find(sum.terms[place])), sizes.all()}, model,
             rules, import);
}
