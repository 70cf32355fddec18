//===- Families.cpp - the table of families -------------------------------===//

#include "Families.h"

using namespace mlir;
using namespace heddle;

ArrayRef<FamilyEntry> heddle::getFamilies() {
  static const FamilyEntry families[] = {
      {"bert", makeBert, "bert.", {{"BertModel", Head::None}}},
  };
  return families;
}
