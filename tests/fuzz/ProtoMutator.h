//===- ProtoMutator.h - mutations of protobuf messages ----------*- C++ -*-===//
//
// After random changes of its bytes, a message usually no longer parses, or it has lost a field. Most mutations in this
// file therefore produce messages that parse: they remove, repeat, exchange or change fields and submessages, or copy
// submessages from another message. `seed` determines the random choices.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TESTS_FUZZ_PROTOMUTATOR_H
#define HEDDLE_TESTS_FUZZ_PROTOMUTATOR_H

#include "llvm/ADT/ArrayRef.h"

#include <google/protobuf/message.h>

#include <string>

namespace heddle {

/// Mutates the serialized message in `data` in place, and returns its new size, which is at most `maxSize`. `empty` is
/// an empty message of the same type, into which the function parses `data`. `words` are values for string fields. In
/// one of 16 calls, and if `data` does not parse, libFuzzer mutates the bytes instead.
size_t mutateProto(google::protobuf::Message &empty, uint8_t *data, size_t size, size_t maxSize, unsigned seed,
                   llvm::ArrayRef<std::string> words = {});

/// Writes the first message to `out`, with one of its submessages replaced by a submessage of the second message that
/// has the same type, or without a change if there is none. Returns the size, or 0 if a message does not parse or if
/// the result would exceed `maxSize`. `empty` is an empty message of the type of both messages, into which the function
/// parses the first one.
size_t crossProtos(google::protobuf::Message &empty, llvm::ArrayRef<uint8_t> first, llvm::ArrayRef<uint8_t> second,
                   uint8_t *out, size_t maxSize, unsigned seed);

} // namespace heddle

#endif // HEDDLE_TESTS_FUZZ_PROTOMUTATOR_H
