//===- Families.h - the table of families -----------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_FAMILIES_H
#define HEDDLE_IMPORT_HUGGINGFACE_FAMILIES_H

#include "Family.h"

namespace heddle {

#define HEDDLE_FAMILY(modelType, name, ...) std::unique_ptr<Family> make##name();
#include "Families.def"
#undef HEDDLE_FAMILY

/// Returns the supported families (Families.def), sorted by `model_type`.
llvm::ArrayRef<FamilyEntry> getFamilies();

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_FAMILIES_H
