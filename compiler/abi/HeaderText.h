//===- HeaderText.h - text pieces of a header -------------------*- C++ -*-===//

#ifndef HEDDLE_ABI_HEADERTEXT_H
#define HEDDLE_ABI_HEADERTEXT_H

#include "ModelInterface.h"

#include "llvm/Support/raw_ostream.h"

namespace heddle {

llvm::StringRef getCType(heddle_type type);
/// Changes a text so that it neither ends the comment that contains it nor begins another comment.
std::string commentText(llvm::StringRef text);
/// Writes a comment on lines of its own, which are wrapped at spaces.
void writeComment(llvm::raw_ostream &os, llvm::StringRef text);
/// Returns the shape of a tensor, such as "[batch_size, 4]".
std::string formatShape(const InterfaceTensor &tensor);

/// Writes the declaration of struct NAME_state.
void writeStates(llvm::raw_ostream &os, const ModelInterface &interface);
/// Writes the declarations of the functions for states.
void writeStateFunctions(llvm::raw_ostream &os, const ModelInterface &interface);

} // namespace heddle

#endif // HEDDLE_ABI_HEADERTEXT_H
