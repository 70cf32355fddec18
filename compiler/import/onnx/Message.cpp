//===- Message.cpp - protobuf messages from files -------------------------===//

#include "Message.h"

#include "heddle/InputFile.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace {

/// Suppresses the parse errors that protobuf prints to stderr by default. Heddle's own errors contain more information.
class SilentProtobuf {
public:
  SilentProtobuf() : previous(google::protobuf::SetLogHandler(nullptr)) {}
  ~SilentProtobuf() { google::protobuf::SetLogHandler(previous); }

private:
  google::protobuf::LogHandler *previous;
};

} // namespace

LogicalResult heddle::onnx::parseMessage(Location loc, StringRef path, StringRef what,
                                         google::protobuf::MessageLite &message) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = readRegularFile(path);
  if (!buffer)
    return emitError(loc) << llvm::toString(buffer.takeError());
  uint64_t size = (*buffer)->getBufferSize();
  if (size == 0)
    return emitError(loc) << "not " << what << ": the file is empty";
  if (size > INT32_MAX)
    return emitError(loc) << "the file is larger than 2 GiB, which protobuf cannot hold; store the weights as "
                             "external data";
  bool parsed = false;
  try {
    SilentProtobuf silent;
    parsed = message.ParseFromArray((*buffer)->getBufferStart(), static_cast<int>(size));
  } catch (const std::exception &error) {
    return emitError(loc) << "not " << what << ": " << error.what();
  }
  if (!parsed)
    return emitError(loc) << "not " << what << ", or a truncated one: the protobuf message is incomplete or malformed";
  return success();
}
