//===- SharedWeights.cpp - weights that classes of sizes share ------------===//

#include "SharedWeights.h"

#include "weights/RecipeSteps.h"

#include "ClassNotes.h"
#include "Heddle.h"

#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace heddle;

/// Returns the names of the stored tensors that an entry of the weight table contains: its own tensor, and the tensors
/// that its recipe concatenates.
static SmallVector<StringAttr> namesOf(DictionaryAttr entry) {
  SmallVector<StringAttr> names = {entry.getAs<StringAttr>("name")};
  entry.get("recipe").walk([&](ConcatStepAttr concat) {
    for (Attribute part : concat.getParts())
      names.push_back(cast<StringAttr>(cast<ArrayAttr>(part)[0]));
  });
  return names;
}

/// Returns the parts that an entry concatenates: the name of each stored tensor and the recipe of the part. An entry
/// that concatenates nothing is a single part.
static ArrayAttr partsOf(DictionaryAttr entry) {
  auto recipe = entry.getAs<ArrayAttr>("recipe");
  SmallVector<Attribute> parts = {storedPart(entry.getAs<StringAttr>("name"), recipe)};
  recipe.walk([&](ConcatStepAttr concat) {
    for (Attribute part : concat.getParts())
      parts.push_back(storedPart(cast<StringAttr>(cast<ArrayAttr>(part)[0]), cast<ArrayAttr>(cast<ArrayAttr>(part)[1])));
  });
  return ArrayAttr::get(entry.getContext(), parts);
}

// While the first class is lowered, notes::mergedWeights is a list of one unit attribute, which permits all merges.
SharedWeights::SharedWeights(MLIRContext *context) : merged(Builder(context).getArrayAttr(UnitAttr::get(context))) {}

void SharedWeights::add(DictionaryAttr entry, StringRef sizes) {
  for (StringAttr name : namesOf(entry))
    stored.try_emplace(name.getValue(), entry, sizes);
}

Model SharedWeights::mergeAlike(Model model) const {
  notes::mergedWeights.set(*model.module, merged);
  model.importAgain = [again = std::move(model.importAgain), merged = merged](const SizeOptions &sizes) {
    FailureOr<Model> imported = again(sizes);
    if (succeeded(imported))
      notes::mergedWeights.set(*imported->module, merged);
    return imported;
  };
  return model;
}

LogicalResult SharedWeights::check(ModuleOp module, StringRef sizes) {
  SmallVector<DictionaryAttr> added(notes::weightTable.get(module)->getAsRange<DictionaryAttr>());
  bool decides = entries == 0; // whether this is the first class, which determines the layout
  added.erase(added.begin(), added.begin() + ptrdiff_t(entries));
  entries += added.size();
  for (DictionaryAttr entry : added)
    for (StringAttr name : namesOf(entry)) {
      auto known = stored.find(name.getValue());
      if (decides || known == stored.end())
        continue;
      auto [other, its] = known->second;
      return module.emitError() << "weight '" << name.getValue() << "' would be stored in two forms: the code for "
                                << its << " stores it as " << other.get("type") << " with recipe "
                                << other.get("recipe") << ", the code for " << sizes << " as " << entry.get("type")
                                << " with recipe " << entry.get("recipe")
                                << "; give a single range instead of classes";
    }
  SmallVector<Attribute> lists;
  for (DictionaryAttr entry : added) {
    add(entry, sizes);
    lists.push_back(partsOf(entry));
  }
  if (decides)
    merged = Builder(module).getArrayAttr(lists);
  return success();
}

void heddle::shareStore(Model &model, WeightStore &weights, StringRef sizes) {
  llvm::StringMap<std::string> others; // the new names of tensors that differ in the two stores, by their old names
  for (StringRef name : model.weights.names()) {
    if (weights.hasSame(name, model.weights))
      continue;
    std::string its = weights.find(name) ? (name + " of " + sizes).str() : name.str();
    if (its != name)
      others[name] = its;
    if (!weights.hasSame(its, model.weights, name))
      weights.addFrom(model.weights, name, its);
  }
  model.weights = WeightStore();
  if (others.empty())
    return;
  Builder b(model.module->getContext());
  AttrTypeReplacer replacer;
  auto renamed = [&](StringRef name) {
    auto found = others.find(name);
    return b.getStringAttr(found == others.end() ? name : StringRef(found->second));
  };
  replacer.addReplacement([&](ConcatStepAttr concat) -> std::optional<std::pair<Attribute, WalkResult>> {
    SmallVector<Attribute> parts;
    for (Attribute part : concat.getParts()) {
      auto pair = cast<ArrayAttr>(part);
      parts.push_back(b.getArrayAttr({renamed(cast<StringAttr>(pair[0]).getValue()), replacer.replace(pair[1])}));
    }
    return std::pair<Attribute, WalkResult>(ConcatStepAttr::get(b.getContext(), concat.getAxis(), b.getArrayAttr(parts)),
                                            WalkResult::skip());
  });
  model.module->walk([&](WeightOp op) {
    op.setNameAttr(renamed(op.getName()));
    op.setRecipeAttr(cast<ArrayAttr>(replacer.replace(op.getRecipe())));
  });
}
