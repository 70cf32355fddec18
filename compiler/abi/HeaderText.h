//===- HeaderText.h - words of a header -------------------------*- C++ -*-===//

#ifndef HEDDLE_ABI_HEADERTEXT_H
#define HEDDLE_ABI_HEADERTEXT_H

#include "ModelInterface.h"

#include "llvm/Support/raw_ostream.h"

namespace heddle {

llvm::StringRef getCType(heddle_type type);
/// A text that stands within a comment: it neither ends it nor opens another.
std::string commentText(llvm::StringRef text);
/// "[batch_size, 4]"
std::string formatShape(const InterfaceTensor &tensor);

/// What is kept from call to call: struct NAME_state, and the functions for it.
void writeStates(llvm::raw_ostream &os, const ModelInterface &interface);
void writeStateFunctions(llvm::raw_ostream &os, const ModelInterface &interface);

} // namespace heddle

#endif // HEDDLE_ABI_HEADERTEXT_H
