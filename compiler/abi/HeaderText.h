//===- HeaderText.h - comments and types of a header ------------*- C++ -*-===//

#ifndef HEDDLE_ABI_HEADERTEXT_H
#define HEDDLE_ABI_HEADERTEXT_H

#include "ModelInterface.h"

#include "llvm/Support/raw_ostream.h"

namespace heddle {

/// Returns the C type of an element, such as "int64_t".
llvm::StringRef getCType(heddle_type type);
/// Changes a text so that a C comment can contain it: the result contains neither the end nor the start of a comment,
/// no control characters, and only valid UTF-8.
std::string commentText(llvm::StringRef text);
/// Writes a C comment, wrapped at spaces, and ends the line.
void writeComment(llvm::raw_ostream &os, llvm::StringRef text);
/// Returns the shape of a tensor, such as "[batch_size, 4]".
std::string formatShape(const InterfaceTensor &tensor);

/// Writes the declaration of struct NAME_state, with a comment that lists the tensors.
void writeStates(llvm::raw_ostream &os, const ModelInterface &interface);
/// Writes the declarations of the functions for states.
void writeStateFunctions(llvm::raw_ostream &os, const ModelInterface &interface);

} // namespace heddle

#endif // HEDDLE_ABI_HEADERTEXT_H
