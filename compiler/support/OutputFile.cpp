//===- OutputFile.cpp - files that are replaced atomically ----------------===//

#include "heddle/OutputFile.h"
#include "CreateTempFile.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <climits>
#include <unistd.h>

using namespace mlir;
using namespace heddle;
namespace fs = llvm::sys::fs;

namespace {

/// The file that a path of an output refers to.
struct Target {
  llvm::SmallString<128> file;             // the path, with symbolic links resolved unless `isStream`
  std::optional<fs::file_status> replaced; // the status of the old file; nothing if there is none
  /// Whether the output is written directly to the path, because the path is "-" (the standard output) or names an
  /// existing file that is not a regular file, such as a pipe. Other outputs are written to a temporary file, which
  /// then replaces the file.
  bool isStream = false;
};

} // namespace

/// Replaces a path by the target of its symbolic links. The target need not exist; the output is then created there.
static void followLinks(llvm::SmallVectorImpl<char> &path) {
  char to[PATH_MAX];
  for (;;) {
    ssize_t size = readlink(StringRef(path.data(), path.size()).str().c_str(), to, sizeof(to));
    if (size <= 0)
      return;
    StringRef link(to, size);
    llvm::sys::path::remove_filename(path);
    if (llvm::sys::path::is_absolute(link))
      path.clear();
    llvm::sys::path::append(path, link);
  }
}

/// Finds the target of a path. Returns an error if the path cannot be written.
static llvm::Expected<Target> findTarget(StringRef path) {
  Target target;
  target.file = path;
  target.isStream = path == "-";
  if (target.isStream)
    return target;
  fs::file_status status;
  if (std::error_code error = fs::status(path, status)) {
    if (error != std::errc::no_such_file_or_directory)
      return llvm::errorCodeToError(error);
    followLinks(target.file);
    return target;
  }
  if (fs::is_directory(status))
    return llvm::createStringError("the path is a directory");
  if (std::error_code error = fs::access(path, fs::AccessMode::Write))
    return llvm::errorCodeToError(error);
  target.isStream = !fs::is_regular_file(status);
  target.replaced = status;
  if (!target.isStream)
    if (std::error_code error = fs::real_path(path, target.file))
      return llvm::errorCodeToError(error);
  return target;
}

/// Creates a temporary file in the folder of the target, so that it can replace the target by a rename.
static llvm::Expected<fs::TempFile> createBeside(const Target &target) {
  return createTempFile(target.file + ".%%%%%%.tmp", fs::all_read | fs::all_write);
}

/// Emits an error about the output `path` and fails, unless `error` is success.
static LogicalResult report(MLIRContext &context, StringRef path, llvm::Error error) {
  if (!error)
    return success();
  Location loc = FileLineColLoc::get(&context, path == "-" ? "standard output" : path, 0, 0);
  return emitError(loc) << "cannot write the file: " << llvm::toString(std::move(error));
}

/// Flushes a stream, and returns and clears its error. If an error, such as a full disk, were not cleared, LLVM would
/// end the process when the stream is destroyed.
static std::error_code finish(llvm::raw_fd_ostream &stream) {
  stream.flush();
  std::error_code error = stream.error();
  stream.clear_error();
  return error;
}

namespace {

/// The implementation of OutputFile.
class File : public OutputFile {
public:
  File(MLIRContext &context, StringRef path) : context(context), path(path) {}
  ~File() override {
    if (fd)
      finish(*fd);
    if (temporary)
      llvm::consumeError(temporary->discard());
  }

  llvm::Error open() {
    llvm::Expected<Target> found = findTarget(path);
    if (!found)
      return found.takeError();
    target = std::move(*found);
    if (target.isStream) {
      std::error_code error;
      fd = std::make_unique<llvm::raw_fd_ostream>(path, error, fs::CD_OpenAlways, fs::FA_Write, fs::OF_None);
      return llvm::errorCodeToError(error);
    }
    auto created = createBeside(target);
    if (!created)
      return created.takeError();
    temporary = std::move(*created);
    fd = std::make_unique<llvm::raw_fd_ostream>(temporary->FD, /*shouldClose=*/false);
    fd->SetBufferSize(largePage);
    return llvm::Error::success();
  }

  llvm::raw_pwrite_stream &stream() override { return *fd; }
  bool canGoBack() const override { return !target.isStream; }
  LogicalResult flush() override { return report(context, path, llvm::errorCodeToError(finish(*fd))); }
  LogicalResult keep() override { return report(context, path, close()); }

private:
  /// Closes the stream and, if nothing has failed, replaces the file by the temporary file.
  llvm::Error close() {
    std::error_code error = finish(*fd);
    fd.reset();
    if (target.isStream)
      return llvm::errorCodeToError(error);
    fs::TempFile file = std::move(*temporary);
    temporary.reset();
    if (!error && target.replaced)
      error = fs::setPermissions(file.TmpName, target.replaced->permissions());
    if (!error)
      return file.keep(target.file);
    llvm::consumeError(file.discard());
    return llvm::errorCodeToError(error);
  }

  MLIRContext &context;
  std::string path;
  Target target;
  std::optional<fs::TempFile> temporary;    // nothing if the output is a stream
  std::unique_ptr<llvm::raw_fd_ostream> fd; // writes to the temporary file, or directly to the path of a stream
};

} // namespace

FailureOr<std::unique_ptr<OutputFile>> OutputFile::create(MLIRContext &context, StringRef path) {
  auto file = std::make_unique<File>(context, path);
  if (failed(report(context, path, file->open())))
    return failure();
  return std::unique_ptr<OutputFile>(std::move(file));
}

LogicalResult heddle::writeOutputFile(MLIRContext &context, StringRef path,
                                      function_ref<void(raw_ostream &)> write) {
  FailureOr<std::unique_ptr<OutputFile>> file = OutputFile::create(context, path);
  if (failed(file))
    return failure();
  write((*file)->stream());
  return (*file)->keep();
}

bool heddle::isSameFile(StringRef a, StringRef b) {
  bool isSame = false;
  if (!fs::equivalent(a, b, isSame))
    return isSame;
  auto folder = [](StringRef path) {
    StringRef parent = llvm::sys::path::parent_path(path);
    return parent.empty() ? "." : parent;
  };
  return llvm::sys::path::filename(a) == llvm::sys::path::filename(b) &&
         !fs::equivalent(folder(a), folder(b), isSame) && isSame;
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

/// Creates a folder and its missing parents, and calls `use` if this succeeds. Then removes the folders that it created.
static LogicalResult withFolder(MLIRContext &context, StringRef path, function_ref<LogicalResult()> use) {
  if (path.empty() || fs::exists(path))
    return use();
  return withFolder(context, llvm::sys::path::parent_path(path), [&] {
    std::error_code error = fs::create_directory(path, /*IgnoreExisting=*/false);
    if (error == std::errc::file_exists) // a link to nothing, or a folder that another process has just created
      return use();
    LogicalResult result = error ? report(context, path, llvm::errorCodeToError(error)) : use();
    if (!error)
      fs::remove(path);
    return result;
  });
}

LogicalResult heddle::checkOutputFolder(MLIRContext &context, StringRef path) {
  if (path.empty())
    return success();
  return withFolder(context, path, [&] {
    llvm::SmallString<128> model(path), file;
    llvm::sys::path::append(model, "%%%%%%%%"); // a random name, because files of other names may exist
    fs::createUniquePath(model, file, /*MakeAbsolute=*/false);
    return checkOutputFile(context, file);
  });
}
