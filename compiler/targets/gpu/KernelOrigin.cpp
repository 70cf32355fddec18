//===- KernelOrigin.cpp - the model's names for a kernel ------------------===//

#include "KernelOrigin.h"

#include "Notes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace heddle;

Location KernelOrigin::locate(func::FuncOp kernel) {
  DictionaryAttr chosen = notes::chosen.get(kernel).value_or(DictionaryAttr());
  auto operation = chosen ? chosen.getAs<StringAttr>("op") : StringAttr();
  Location loc = kernel.getLoc();
  return FusedLoc::get(loc.getContext(), loc, operation ? operation : StringAttr::get(loc.getContext()));
}

KernelOrigin KernelOrigin::read(Location location) {
  KernelOrigin origin;
  // `locate` has added the outermost location. The locations inside it are those of the model file.
  if (auto fused = dyn_cast<FusedLocWith<StringAttr>>(location))
    origin.operation = fused.getMetadata().getValue().str();
  llvm::SetVector<StringRef> names;
  location->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part); name && !name.getName().empty())
      names.insert(name.getName().getValue());
    return WalkResult::advance();
  });
  for (StringRef name : names)
    origin.names.push_back(name.str());
  auto place = location->findInstanceOf<FileLineColLoc>();
  if (names.empty() && place && place.getLine())
    origin.names.push_back(
        (llvm::sys::path::filename(place.getFilename().getValue()) + ":" + Twine(place.getLine())).str());
  return origin;
}
