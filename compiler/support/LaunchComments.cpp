//===- LaunchComments.cpp - comments that explain kernels -----------------===//

#include "heddle/LaunchComments.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace heddle;

static constexpr StringLiteral begin = "// heddle ", separator = ": ";
// A comment contains at most `maxNames` names and `maxCharacters` characters of each name. Error messages repeat these
// comments, and the text of a device's error has only a few hundred characters.
static constexpr size_t maxNames = 2, maxCharacters = 64;

/// Quotes and truncates a name. Characters other than letters, digits and common punctuation are written as hexadecimal
/// numbers, so that a name cannot end the line, the comment or the quoted text.
static std::string quote(StringRef name) {
  std::string text = "\"";
  for (unsigned char c : name.take_front(maxCharacters)) {
    if (isAlnum(char(c)) || StringRef(" _./:,;=+-()[]{}<>#@$%&|!^~'").contains(char(c)))
      text += char(c);
    else
      text += "\\" + toHex(StringRef(reinterpret_cast<char *>(&c), 1));
  }
  return text + (name.size() > maxCharacters ? "...\"" : "\"");
}

std::string heddle::writeLaunchComment(StringRef kernel, StringRef operation, ArrayRef<StringRef> names) {
  std::string text = operation.take_while([](char c) { return isAlnum(c) || c == '_'; }).str();
  for (StringRef name : names.take_front(maxNames))
    text += (text.empty() ? "" : text.back() == '"' ? ", " : " ") + quote(name);
  if (names.size() > maxNames)
    text += ", ...";
  return text.empty() ? "" : (Twine(begin) + kernel + separator + text + "\n").str();
}

StringMap<std::string> heddle::readLaunchComments(StringRef text) {
  StringMap<std::string> descriptions;
  while (!text.empty()) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    if (!line.consume_front(begin) || !all_of(line, isPrint))
      continue;
    auto [kernel, description] = line.split(separator);
    if (!kernel.empty() && !description.empty())
      descriptions.try_emplace(kernel, description.take_front(4 * maxNames * maxCharacters));
  }
  return descriptions;
}
