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

namespace {

/// Where a path leads.
struct Target {
  llvm::SmallString<128> file; // through links
  std::optional<fs::file_status> replaced;
  bool isStream = false; // written straight into: the standard output, or what is no regular file
};

} // namespace

static llvm::Expected<Target> findTarget(StringRef path) {
  Target target;
  target.file = path;
  target.isStream = path == "-";
  fs::file_status status;
  if (target.isStream || fs::status(path, status) || !fs::exists(status))
    return target;
  if (fs::is_directory(status))
    return llvm::createStringError("it is a directory");
  if (std::error_code error = fs::access(path, fs::AccessMode::Write))
    return llvm::errorCodeToError(error);
  target.isStream = !fs::is_regular_file(status);
  target.replaced = status;
  if (!target.isStream)
    if (std::error_code error = fs::real_path(path, target.file))
      return llvm::errorCodeToError(error);
  return target;
}

static llvm::Expected<fs::TempFile> createBeside(const Target &target) {
  return fs::TempFile::create(target.file + ".%%%%%%.tmp", fs::all_read | fs::all_write);
}

static llvm::Error writeTo(const Target &target, StringRef path, function_ref<void(raw_ostream &)> write) {
  if (target.isStream) {
    std::error_code error;
    llvm::raw_fd_ostream stream(path, error, fs::CD_OpenAlways, fs::FA_Write, fs::OF_None);
    if (!error)
      error = fill(stream, write);
    return llvm::errorCodeToError(error);
  }
  auto temporary = createBeside(target);
  if (!temporary)
    return temporary.takeError();
  std::error_code error;
  {
    llvm::raw_fd_ostream stream(temporary->FD, /*shouldClose=*/false);
    error = fill(stream, write);
  }
  if (!error && target.replaced)
    error = fs::setPermissions(temporary->TmpName, target.replaced->permissions());
  if (error) {
    llvm::consumeError(temporary->discard());
    return llvm::errorCodeToError(error);
  }
  return temporary->keep(target.file);
}

static LogicalResult report(MLIRContext &context, StringRef path, llvm::Error error) {
  if (!error)
    return success();
  Location loc = FileLineColLoc::get(&context, path == "-" ? "standard output" : path, 0, 0);
  return emitError(loc) << "cannot write the file: " << llvm::toString(std::move(error));
}

LogicalResult heddle::writeOutputFile(MLIRContext &context, StringRef path,
                                      function_ref<void(raw_ostream &)> write) {
  llvm::Expected<Target> target = findTarget(path);
  return report(context, path, target ? writeTo(*target, path, write) : target.takeError());
}

LogicalResult heddle::checkOutputFile(MLIRContext &context, StringRef path) {
  if (path.empty())
    return success();
  llvm::Expected<Target> target = findTarget(path);
  if (!target)
    return report(context, path, target.takeError());
  if (target->isStream)
    return success();
  auto temporary = createBeside(*target);
  return report(context, path, temporary ? temporary->discard() : temporary.takeError());
}
