//===- ParseMlir.cpp - parsing untrusted MLIR text ------------------------===//

#include "heddle/ParseMlir.h"

#include "heddle/InputFile.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#endif

using namespace mlir;

/// The maximum depth of nested brackets. MLIR's parser is recursive, so a million nested brackets would overflow the
/// stack.
static constexpr int maxDepthOfMlir = 200;

static bool nestsTooDeep(StringRef text) {
  int depth = 0;
  bool inString = false, inComment = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inComment) {
      inComment = c != '\n';
    } else if (inString) {
      if (c == '\\')
        ++i;
      inString = c != '"' && c != '\n';
    } else if (c == '"') {
      inString = true;
    } else if (text.substr(i).starts_with("//")) {
      inComment = true;
    } else if (text.substr(i).starts_with("->")) {
      ++i;
    } else if (StringRef("([{<").contains(c)) {
      if (++depth > maxDepthOfMlir)
        return true;
    } else if (StringRef(")]}>").contains(c)) {
      --depth;
    }
  }
  return false;
}

/// Calls `body`, which runs MLIR's parser, and returns false if the parser crashes. The parser of MLIR 22 crashes on
/// `dimensions = [x]` in a linalg.reduce: it emits an error and then dereferences a null pointer. The caller must
/// report an error for such a text instead of ending the process. After a crash the parser's memory is leaked, and the
/// MLIR context may only be used for diagnostics.
static bool runGuarded(function_ref<void()> body) {
#if __has_feature(address_sanitizer)
  __lsan_disable();
#endif
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext recovery;
  bool survived = recovery.RunSafely(body);
  llvm::CrashRecoveryContext::Disable();
#if __has_feature(address_sanitizer)
  __lsan_enable();
#endif
  return survived;
}

FailureOr<OwningOpRef<ModuleOp>> heddle::parseMlirText(MLIRContext &context, StringRef name, StringRef text) {
  Location loc = FileLineColLoc::get(&context, name, 0, 0);
  if (text.starts_with("ML\xefR"))
    return emitError(loc) << "MLIR bytecode is not supported, only MLIR text";
  if (text.contains('\0'))
    return emitError(loc) << "expected MLIR text, found a byte with the value 0";
  if (nestsTooDeep(text))
    return emitError(loc) << "brackets in the MLIR text are nested more than " << maxDepthOfMlir << " levels deep";
  // Parse a copy, because the lexer requires a null character at the end of the text.
  std::unique_ptr<llvm::MemoryBuffer> copy = llvm::MemoryBuffer::getMemBufferCopy(text, name);
  if (!copy)
    return emitError(loc) << "out of memory: the text has " << text.size() << " bytes";
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(copy), llvm::SMLoc());
  OwningOpRef<ModuleOp> module;
  if (!runGuarded([&] { module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context)); }))
    return emitError(loc) << "the text is not valid MLIR";
  if (!module)
    return failure(); // the parser has emitted an error
  return module;
}

FailureOr<OwningOpRef<ModuleOp>> heddle::parseMlirFile(MLIRContext &context, StringRef path) {
  auto buffer = readRegularFile(path, /*isText=*/true);
  if (!buffer)
    return emitError(FileLineColLoc::get(&context, path, 0, 0)) << llvm::toString(buffer.takeError());
  return parseMlirText(context, path, (*buffer)->getBuffer());
}
