//===- ModelDigest.cpp - a hash that identifies a model -------------------===//

#include "heddle/ModelDigest.h"

#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace heddle;

void ModelDigest::add(llvm::StringRef text) {
  uint64_t hash = llvm::xxh3_64bits(text);
  pieces.append(reinterpret_cast<const char *>(&hash), sizeof hash);
}

void ModelDigest::add(const WeightStore &weights) {
  std::vector<llvm::StringRef> names = weights.names();
  llvm::sort(names);
  for (llvm::StringRef name : names) {
    const StoredTensor *tensor = weights.find(name);
    add(name);
    std::string type;
    llvm::raw_string_ostream(type) << tensor->type;
    add(type);
    add({tensor->bytes.data(), tensor->bytes.size()});
  }
  weights.dropPages(); // the pages that were read from mapped files need not stay in memory
}

uint64_t ModelDigest::get() const { return llvm::xxh3_64bits(pieces); }
