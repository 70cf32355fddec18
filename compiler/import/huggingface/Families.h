//===- Families.h - the table of families -----------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_FAMILIES_H
#define HEDDLE_IMPORT_HUGGINGFACE_FAMILIES_H

#include "Family.h"

namespace heddle {

// One file each, or one for those that differ in little.
std::unique_ptr<Family> makeAlbert();
std::unique_ptr<Family> makeBert();
std::unique_ptr<Family> makeDistilBert();
std::unique_ptr<Family> makeElectra();
std::unique_ptr<Family> makeGemma();
std::unique_ptr<Family> makeGemma2();
std::unique_ptr<Family> makeGpt2();
std::unique_ptr<Family> makeGptNeox();
std::unique_ptr<Family> makeLlama();
std::unique_ptr<Family> makeMistral();
std::unique_ptr<Family> makeModernBert();
std::unique_ptr<Family> makeMpNet();
std::unique_ptr<Family> makeNomicBert();
std::unique_ptr<Family> makePhi3();
std::unique_ptr<Family> makeQwen2();
std::unique_ptr<Family> makeQwen3();
std::unique_ptr<Family> makeRoberta(); // and xlm-roberta
std::unique_ptr<Family> makeSmolLM3();

/// The families that are imported, by `model_type`, in the order of the alphabet.
llvm::ArrayRef<FamilyEntry> getFamilies();

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_FAMILIES_H
