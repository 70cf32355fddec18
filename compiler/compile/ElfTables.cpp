//===- ElfTables.cpp - tables of names and symbols ------------------------===//

#include "compile/ElfTables.h"

#include "llvm/Object/ELF.h"

using namespace heddle;

uint32_t ElfNames::add(llvm::StringRef name) {
  if (name.empty())
    return 0;
  auto [place, isNew] = offsets.try_emplace(name, uint32_t(text.size()));
  if (isNew) {
    text.insert(text.end(), name.begin(), name.end());
    text.push_back(0);
  }
  return place->second;
}

uint64_t heddle::elfHashSize(uint64_t symbols) { return (2 + 2 * symbols) * sizeof(llvm::support::ulittle32_t); }

std::vector<char> heddle::makeElfHash(llvm::ArrayRef<llvm::StringRef> names) {
  // The table has as many buckets as symbols. It consists of the number of buckets, the number of symbols, the first
  // symbol of each bucket, and, for each symbol, the next symbol in the same bucket (0 if there is none).
  size_t count = names.size() + 1;
  std::vector<llvm::support::ulittle32_t> words(2 + 2 * count);
  words[0] = uint32_t(count);
  words[1] = uint32_t(count);
  for (size_t i = 1; i < count; ++i) {
    llvm::support::ulittle32_t &bucket = words[2 + llvm::object::hashSysV(names[i - 1]) % count];
    words[2 + count + i] = bucket;
    bucket = uint32_t(i);
  }
  return elfBytes(llvm::ArrayRef(words));
}
