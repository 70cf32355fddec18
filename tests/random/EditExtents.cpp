//===- EditExtents.cpp - edits that reduce sizes --------------------------===//

#include "Edits.h"

#include "Notes.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"

#include <set>

using namespace mlir;

namespace {
/// Replaces the extent `from` by `to`. If `multiples` is set, multiples of `from` change by the same factor, since an
/// extent may be a product of other extents.
struct Change {
  int64_t from, to;
  bool multiples;

  /// Returns the new value of an extent; most extents do not change.
  int64_t of(int64_t extent) const {
    return extent == from || (multiples && extent > from && extent % from == 0) ? extent / from * to : extent;
  }
  SmallVector<int64_t> of(ArrayRef<int64_t> extents) const {
    return llvm::map_to_vector(extents, [&](int64_t extent) { return of(extent); });
  }
};
} // namespace

/// Returns changes that reduce an extent of the function to 1, to 2, to half, or by one. The largest extents come
/// first.
static std::vector<Change> changes(func::FuncOp main) {
  std::set<int64_t, std::greater<>> extents;
  auto note = [&](Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      extents.insert(tensor.getShape().begin(), tensor.getShape().end());
  };
  main.walk([&](Operation *op) { llvm::for_each(op->getResultTypes(), note); });
  llvm::for_each(main.getArgumentTypes(), note);
  // Placeholders of sizes in ranges are not changed.
  if (auto ranges = heddle::notes::sizes.get(main->getParentOfType<ModuleOp>()))
    for (const heddle::SizeRange &range : *ranges)
      extents.erase(range.placeholder);
  std::vector<Change> all;
  for (int64_t from : extents)
    for (bool multiples : {true, false}) {
      int64_t before = 0;
      for (int64_t to : {int64_t(1), int64_t(2), from / 2, from - 1}) {
        if (to > before && to < from)
          all.push_back({from, to, multiples});
        before = std::max(before, to);
      }
    }
  return all;
}

Edited shrinkExtent(func::FuncOp main, unsigned number) {
  std::vector<Change> all = changes(main);
  if (number >= all.size())
    return Edited::End;
  Change change = all[number];
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](RankedTensorType type) -> std::optional<std::pair<Type, WalkResult>> {
    return std::pair<Type, WalkResult>(type.clone(change.of(type.getShape())), WalkResult::skip());
  });
  replacer.addReplacement([&](DenseElementsAttr elements) -> std::optional<std::pair<Attribute, WalkResult>> {
    auto type = dyn_cast<RankedTensorType>(elements.getType());
    if (!type || elements.empty())
      return std::nullopt;
    RankedTensorType other = type.clone(change.of(type.getShape()));
    Attribute same = other == type ? elements : DenseElementsAttr::get(other, *elements.value_begin<Attribute>());
    return std::pair<Attribute, WalkResult>(same, WalkResult::skip());
  });
  replacer.recursivelyReplaceElementsIn(main, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
  main.walk([&](Operation *op) {
    for (StringRef name : {"static_output_shape", "static_sizes"})
      if (auto extents = op->getAttrOfType<DenseI64ArrayAttr>(name))
        op->setAttr(name, DenseI64ArrayAttr::get(op->getContext(), change.of(extents.asArrayRef())));
  });
  return Edited::Done;
}
