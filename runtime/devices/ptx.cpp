//===- ptx.cpp - reads the target of a PTX text ---------------------------===//

#include "ptx.h"

#include <string.h>

using namespace heddle;

namespace {
// A cursor in a text that need not end in 0.
class Reader {
public:
  Reader(const char *text, uint64_t size) : at(text), end(text + size) {}

  // Skips blanks and comments, and consumes `word` if it comes next.
  bool take(const char *word) {
    skipBlanks();
    size_t length = strlen(word);
    if (size_t(end - at) < length || strncmp(at, word, length) != 0)
      return false;
    at += length;
    return true;
  }
  // Consumes a decimal number of at most four digits, without skipping blanks. Returns whether there is one.
  bool takeNumber(unsigned &number) {
    const char *start = at;
    for (number = 0; at < end && *at >= '0' && *at <= '9' && at - start < 4; ++at)
      number = 10 * number + unsigned(*at - '0');
    return at != start;
  }
  // Consumes a lower-case letter and returns it; returns 0 if the next character is not a lower-case letter.
  char takeLetter() { return at < end && *at >= 'a' && *at <= 'z' ? *at++ : 0; }

private:
  void skipBlanks() {
    while (at < end) {
      bool isLine = end - at > 1 && at[0] == '/' && at[1] == '/',
           isBlock = end - at > 1 && at[0] == '/' && at[1] == '*';
      if (isLine)
        skipPast("\n");
      else if (isBlock)
        skipPast("*/");
      else if (strchr(" \t\r\n", *at) && *at)
        ++at;
      else
        return;
    }
  }
  void skipPast(const char *what) {
    auto *found = static_cast<const char *>(memmem(at, size_t(end - at), what, strlen(what)));
    at = found ? found + strlen(what) : end;
  }

  const char *at, *end;
};
} // namespace

heddle_status heddle::readPtxTarget(const char *text, uint64_t size, PtxTarget &target) {
  Reader reader(text, size);
  unsigned major = 0, minor = 0;
  auto isTarget = [&] { // take("") only skips blanks and comments
    if (!reader.take(".version") || !reader.take("") || !reader.takeNumber(major) || !reader.take(".") ||
        !reader.takeNumber(minor) || !reader.take(".target") || !reader.take("sm_") ||
        !reader.takeNumber(target.architecture))
      return false;
    target.suffix = reader.takeLetter();
    return true;
  };
  if (!isTarget())
    return fail(HEDDLE_INVALID_ARGUMENT, "the program is not PTX: it does not begin with .version and .target sm_NN");
  target.version = 10 * major + minor;
  return HEDDLE_OK;
}

heddle_status heddle::checkPtxTarget(const PtxTarget &target, unsigned architecture, const char *device) {
  // A family consists of the architectures that differ in the last digit only, such as sm_100 and sm_103. PTX for a
  // family runs on the architecture that .target names and on later architectures of the family.
  bool runs = target.suffix == 'a' ? architecture == target.architecture
              : target.suffix == 'f'
                  ? architecture / 10 == target.architecture / 10 && architecture >= target.architecture
                  : architecture >= target.architecture;
  if (runs)
    return HEDDLE_OK;
  const char suffix[] = {target.suffix, 0};
  return fail(HEDDLE_UNSUPPORTED_DEVICE, "the program is for sm_%u%s, but %s is sm_%u", target.architecture, suffix,
              device, architecture);
}
