//===- TextMutator.cpp - mutations of texts -------------------------------===//

#include "TextMutator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <random>

using namespace heddle;
using llvm::SmallVector;
using llvm::StringRef;

/// A function of libFuzzer that applies one of its own mutations to the bytes in place and returns their new size.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {
using Pieces = SmallVector<StringRef>; // the parts of a text, in order

class Mutator {
public:
  explicit Mutator(unsigned seed) : random(seed) {}

  /// Returns a random number in 0 .. count - 1.
  unsigned randomBelow(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random); }

  /// Splits the text either into lines, or into words, numbers and single other characters. The choice is random.
  Pieces split(StringRef text) {
    Pieces pieces;
    bool lines = randomBelow(4) == 0;
    auto inWord = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '-'; };
    while (!text.empty()) {
      size_t length = lines ? std::min(text.find('\n'), text.size() - 1) + 1 : text.take_while(inWord).size();
      pieces.push_back(text.take_front(std::max<size_t>(length, 1)));
      text = text.drop_front(pieces.back().size());
    }
    return pieces;
  }

  /// Returns one to six adjacent pieces, beginning at a random position.
  llvm::ArrayRef<StringRef> run(llvm::ArrayRef<StringRef> pieces) {
    size_t begin = randomBelow(pieces.size());
    return pieces.slice(begin, 1 + randomBelow(std::min<size_t>(pieces.size() - begin, 6)));
  }

  /// Applies one random change: removes, copies, exchanges or replaces pieces, or changes a number.
  void change(Pieces &pieces) {
    static const StringRef numbers[] = {"0", "1", "-1", "2", "7", "64", "127", "4001", "65536", "2147483647",
                                        "2147483648", "-2147483649", "4294967296", "9223372036854775807",
                                        "9223372036854775808", "-9223372036854775808", "1e308", "-0.0", "1e400", "?"};
    StringRef &one = pieces[randomBelow(pieces.size())];
    Pieces some(run(pieces));
    switch (randomBelow(5)) {
    case 0:
      one = "";
      break;
    case 1:
      pieces.insert(pieces.begin() + randomBelow(pieces.size() + 1), some.begin(), some.end());
      break;
    case 2:
      std::swap(one, pieces[randomBelow(pieces.size())]);
      break;
    case 3:
      one = some.front();
      break;
    case 4: {
      Pieces digits;
      for (StringRef &piece : pieces)
        if (!piece.empty() && llvm::isDigit(piece.back()))
          digits.push_back(piece);
      if (digits.empty())
        break;
      StringRef number = digits[randomBelow(digits.size())];
      auto place = llvm::find_if(pieces, [&](StringRef piece) { return piece.data() == number.data(); });
      *place = randomBelow(2) ? numbers[randomBelow(std::size(numbers))] : digits[randomBelow(digits.size())];
      break;
    }
    }
  }

private:
  std::minstd_rand random;
};

/// Writes at most the first `maxSize` bytes of the text to `out`, and returns the number of bytes.
size_t write(const Pieces &pieces, uint8_t *out, size_t maxSize) {
  std::string text = llvm::join(pieces, "");
  size_t size = std::min(text.size(), maxSize);
  std::copy_n(text.begin(), size, out);
  return size;
}
} // namespace

size_t heddle::mutateText(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  Mutator mutator(seed);
  if (size == 0 || mutator.randomBelow(3) == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string text(data, data + size);
  Pieces pieces = mutator.split(text);
  for (unsigned i = 0, changes = 1 + mutator.randomBelow(3); i < changes; ++i)
    mutator.change(pieces);
  return write(pieces, data, maxSize);
}

size_t heddle::crossTexts(const uint8_t *first, size_t firstSize, const uint8_t *second, size_t secondSize,
                          uint8_t *out, size_t maxSize, unsigned seed) {
  Mutator mutator(seed);
  Pieces pieces = mutator.split({reinterpret_cast<const char *>(first), firstSize});
  Pieces others = mutator.split({reinterpret_cast<const char *>(second), secondSize});
  if (!others.empty()) {
    Pieces some(mutator.run(others));
    pieces.insert(pieces.begin() + mutator.randomBelow(pieces.size() + 1), some.begin(), some.end());
  }
  return write(pieces, out, maxSize);
}
