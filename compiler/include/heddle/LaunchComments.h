//===- LaunchComments.h - comments that explain kernels ---------*- C++ -*-===//
//
// The text of a device's kernels contains comments that name the operations of the model that each kernel computes.
// They are meant for readers of the text, and error messages contain them. Drivers ignore comments, so the names of
// operations never change the compiled code.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LAUNCHCOMMENTS_H
#define HEDDLE_LAUNCHCOMMENTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace heddle {

/// Returns a comment line: `// heddle k0_launch0: softmax "/encoder/Softmax"`. The names come from a model file and may
/// contain any bytes. Characters other than letters, digits and common punctuation are therefore written in
/// hexadecimal, and long names and long lists of names are truncated. Returns "" if neither the operation nor a name is
/// known.
std::string writeLaunchComment(llvm::StringRef kernel, llvm::StringRef operation,
                               llvm::ArrayRef<llvm::StringRef> names);

/// Reads the comments of writeLaunchComment in a text of kernels. Returns the description of each kernel by its name:
/// `softmax "/encoder/Softmax"`. Other lines are ignored.
llvm::StringMap<std::string> readLaunchComments(llvm::StringRef text);

} // namespace heddle

#endif // HEDDLE_LAUNCHCOMMENTS_H
