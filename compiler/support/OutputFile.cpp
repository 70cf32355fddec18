//===- OutputFile.cpp - files that appear whole or not at all -------------===//

#include "heddle/OutputFile.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
namespace fs = llvm::sys::fs;

/// Writes into an open stream; a full disk is an error, not the end of the process.
static std::error_code fill(llvm::raw_fd_ostream &stream, function_ref<void(raw_ostream &)> write) {
  write(stream);
  stream.flush();
  std::error_code error = stream.error();
  stream.clear_error();
  return error;
}

LogicalResult heddle::writeOutputFile(MLIRContext &context, StringRef path,
                                      function_ref<void(raw_ostream &)> write) {
  Location loc = FileLineColLoc::get(&context, path == "-" ? "standard output" : path, 0, 0);
  auto refuse = [&](const Twine &reason) {
    return emitError(loc) << "cannot write the file: " << reason.str();
  };

  llvm::SmallString<128> target(path);
  fs::file_status status;
  bool exists = path != "-" && !fs::status(path, status) && fs::exists(status);
  if (exists && fs::is_directory(status))
    return refuse("it is a directory");
  if (path == "-" || (exists && !fs::is_regular_file(status))) {
    std::error_code error;
    llvm::raw_fd_ostream stream(path, error, fs::CD_OpenAlways, fs::FA_Write, fs::OF_None);
    if (!error)
      error = fill(stream, write);
    return error ? LogicalResult(refuse(error.message())) : success();
  }
  if (exists) {
    if (std::error_code error = fs::access(path, fs::AccessMode::Write))
      return refuse(error.message());
    if (std::error_code error = fs::real_path(path, target))
      return refuse(error.message());
  }

  auto temporary = fs::TempFile::create(target + ".%%%%%%.tmp", fs::all_read | fs::all_write);
  if (!temporary)
    return refuse(llvm::toString(temporary.takeError()));
  std::error_code error;
  {
    llvm::raw_fd_ostream stream(temporary->FD, /*shouldClose=*/false);
    error = fill(stream, write);
  }
  if (!error && exists)
    error = fs::setPermissions(temporary->TmpName, status.permissions());
  if (error) {
    llvm::consumeError(temporary->discard());
    return refuse(error.message());
  }
  if (llvm::Error failure = temporary->keep(target))
    return refuse(llvm::toString(std::move(failure)));
  return success();
}
