//===- huggingface_fuzzer.cpp - Hugging Face directories ------------------===//
//
// The input contains all files of a directory, each after a line "//--- NAME". For a .safetensors file, the input
// contains only the JSON header; the target adds the header's size, and zeros for the tensors.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace heddle;
using llvm::StringRef;

static constexpr StringRef separator = "//--- ";

/// Returns the bytes of a .safetensors file with this header, followed by at most 1 MiB of zeros for its tensors.
static std::string withTensors(StringRef header) {
  constexpr int64_t maxBytes = 1 << 20;
  int64_t size = 0;
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(header);
  if (!parsed)
    llvm::consumeError(parsed.takeError());
  else if (const llvm::json::Object *tensors = parsed->getAsObject())
    for (const auto &[name, tensor] : *tensors)
      if (const llvm::json::Object *entry = tensor.getAsObject())
        if (const llvm::json::Array *offsets = entry->getArray("data_offsets"); offsets && offsets->size() == 2)
          size = std::max(size, (*offsets)[1].getAsInteger().value_or(0));
  std::string file(sizeof(uint64_t), '\0');
  llvm::support::endian::write64le(file.data(), header.size());
  return file + header.str() + std::string(std::min(size, maxBytes), '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const TempDir dir;
  StringRef text = asText(data, size), rest = text;
  if (text.count('[') + text.count('{') > 5000)
    return -1; // LLVM's JSON parser is recursive, so deep nesting overflows the stack, which is a known limit
  std::string folder = dir.file("model");
  llvm::sys::fs::remove_directories(folder);
  llvm::sys::fs::create_directory(folder);
  rest.consume_front(separator);
  while (!rest.empty()) {
    auto [part, others] = rest.split(("\n" + separator).str());
    auto [name, content] = part.split('\n');
    rest = others;
    // The file must be in the directory or in a direct subdirectory of it.
    StringRef parent = llvm::sys::path::parent_path(name);
    if (parent.contains('.') || parent.contains('/') || name.contains('\0') || name.size() > 100)
      return -1;
    llvm::sys::fs::create_directory(folder + "/" + parent);
    int file;
    if (llvm::sys::fs::openFileForWrite(folder + "/" + name, file))
      return -1; // the file cannot be created: the name is empty or that of a directory
    llvm::raw_fd_ostream(file, /*shouldClose=*/true)
        << (name.ends_with(".safetensors") ? withTensors(content) : content.str());
  }
  tryModel(folder, /*inRanges=*/llvm::xxh3_64bits(text) % 2);
  return 0;
}
