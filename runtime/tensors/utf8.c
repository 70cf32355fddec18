/* utf8.c - characters in UTF-8. */
#include "utf8.h"

size_t heddle_utf8_length(const char *at, const char *end) {
  unsigned first = (unsigned char)at[0];
  size_t length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length > (size_t)(end - at))
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((at[i] & 0xc0) != 0x80)
      return 0;
  unsigned second = length > 1 ? (unsigned char)at[1] : 0;
  /* After some first bytes, the second byte shows that the encoding is longer than necessary, or that the code is half
   * of a surrogate pair or too large. */
  int too_long = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  int no_character = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return too_long || no_character ? 0 : length;
}

size_t heddle_utf8_encode(unsigned code, char out[4]) {
  size_t count = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (size_t i = count - 1; i > 0; --i, code >>= 6)
    out[i] = (char)(0x80 | (code & 0x3f));
  /* The first byte of a longer character begins with `count` ones. */
  out[0] = (char)(count == 1 ? code : (0xf00u >> count & 0xff) | code);
  return count;
}
