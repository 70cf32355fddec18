//===- PlaceOf.cpp - locations of operations in a file --------------------===//

#include "PlaceOf.h"

#include "mlir/IR/Location.h"

using namespace mlir;

std::string heddle::placeOf(Operation *op) {
  std::string text = "'" + op->getName().getStringRef().str() + "'";
  auto place = op->getLoc()->findInstanceOf<FileLineColLoc>();
  return place ? "line " + std::to_string(place.getLine()) + ": " + text : text;
}
