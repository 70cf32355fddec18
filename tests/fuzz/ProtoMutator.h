//===- ProtoMutator.h - changes of protobuf messages by field ---*- C++ -*-===//
//
// Bytes of a message that change at random make none, or one with a field less. These changes keep it a message:
// fields and parts of it are left out, repeated, exchanged, changed, or taken from another.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TESTS_FUZZ_PROTOMUTATOR_H
#define HEDDLE_TESTS_FUZZ_PROTOMUTATOR_H

#include "llvm/ADT/ArrayRef.h"

#include <google/protobuf/message.h>

#include <string>

namespace heddle {

/// Changes the message in `data`, parsed into `empty`, in place; returns its new size, at most `maxSize`. `words` are
/// what strings may become besides each other.
size_t mutateProto(google::protobuf::Message &empty, uint8_t *data, size_t size, size_t maxSize, unsigned seed,
                   llvm::ArrayRef<std::string> words = {});

/// Writes the first message to `out`, with parts of the second in the place of its own; returns the size, 0 where it
/// would exceed `maxSize`.
size_t crossProtos(google::protobuf::Message &empty, llvm::ArrayRef<uint8_t> first, llvm::ArrayRef<uint8_t> second,
                   uint8_t *out, size_t maxSize, unsigned seed);

} // namespace heddle

#endif // HEDDLE_TESTS_FUZZ_PROTOMUTATOR_H
