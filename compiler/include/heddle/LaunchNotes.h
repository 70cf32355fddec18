//===- LaunchNotes.h - what a device's kernels are for ----------*- C++ -*-===//
//
// Text of kernels says in comments which operations of a model its kernels are of, for whoever reads it or tells what is
// wrong with it. A driver does not see them, so that names change no code.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LAUNCHNOTES_H
#define HEDDLE_LAUNCHNOTES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace heddle {

/// A line of comment: `// heddle k0_launch0: softmax "/encoder/Softmax"`. Names are a file's, so no character of theirs
/// ends a comment or begins another; of many or long ones it has the beginning. Empty where nothing is known.
std::string writeLaunchNote(llvm::StringRef kernel, llvm::StringRef operation, llvm::ArrayRef<llvm::StringRef> names);

/// What a text says of its kernels: `softmax "/encoder/Softmax"`, by kernel. Lines that are no such note are none.
llvm::StringMap<std::string> readLaunchNotes(llvm::StringRef text);

} // namespace heddle

#endif // HEDDLE_LAUNCHNOTES_H
