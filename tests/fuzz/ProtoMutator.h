//===- ProtoMutator.h - mutations of protobuf messages ----------*- C++ -*-===//
//
// Random changes of the bytes of a message give no message, or one with a field less. These mutations keep it a
// message: fields and parts are removed, repeated, exchanged, changed, or taken from another message.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TESTS_FUZZ_PROTOMUTATOR_H
#define HEDDLE_TESTS_FUZZ_PROTOMUTATOR_H

#include "llvm/ADT/ArrayRef.h"

#include <google/protobuf/message.h>

#include <string>

namespace heddle {

/// Mutates the message in `data`, which is parsed into `empty`, in place; returns its new size, at most `maxSize`.
/// `words` are additional values for strings.
size_t mutateProto(google::protobuf::Message &empty, uint8_t *data, size_t size, size_t maxSize, unsigned seed,
                   llvm::ArrayRef<std::string> words = {});

/// Writes the first message to `out`, with some of its parts replaced by parts of the second; returns the size, or 0 if
/// it would exceed `maxSize`.
size_t crossProtos(google::protobuf::Message &empty, llvm::ArrayRef<uint8_t> first, llvm::ArrayRef<uint8_t> second,
                   uint8_t *out, size_t maxSize, unsigned seed);

} // namespace heddle

#endif // HEDDLE_TESTS_FUZZ_PROTOMUTATOR_H
