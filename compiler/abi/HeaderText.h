//===- HeaderText.h - text pieces of a header -------------------*- C++ -*-===//

#ifndef HEDDLE_ABI_HEADERTEXT_H
#define HEDDLE_ABI_HEADERTEXT_H

#include "ModelInterface.h"

#include "llvm/Support/raw_ostream.h"

namespace heddle {

llvm::StringRef getCType(heddle_type type);
/// Changes a text so that it neither ends the comment that contains it nor opens another one.
std::string commentText(llvm::StringRef text);
/// Writes a comment on lines of its own, which are wrapped at spaces.
void writeComment(llvm::raw_ostream &os, llvm::StringRef text);
/// For example "[batch_size, 4]".
std::string formatShape(const InterfaceTensor &tensor);

/// Write the declarations for states: struct NAME_state, and its functions.
void writeStates(llvm::raw_ostream &os, const ModelInterface &interface);
void writeStateFunctions(llvm::raw_ostream &os, const ModelInterface &interface);

} // namespace heddle

#endif // HEDDLE_ABI_HEADERTEXT_H
