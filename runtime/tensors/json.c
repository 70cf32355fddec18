/* json.c - checks a JSON text and lists the members of its objects. */
#include "json.h"

#include "../call/text.h"
#include "utf8.h"

#include <stdlib.h>
#include <string.h>

static const char too_deep[] = "nested too deep"; /* the value of parser.wrong if the depth exceeds the limit */

/* A position in a text, and the list of members so far. Error texts are those of llvm::json. */
struct parser {
  const char *at, *end;
  const char *wrong;        /* the error; NULL if there is none so far */
  struct heddle_json *json; /* has room for a member for each colon in the text */
  char *names;              /* where the next name is stored; names take no more bytes than the text */
  uint32_t objects, depth;  /* the numbers of objects that have begun, and of objects and arrays that are open */
};

static int fail(struct parser *p, const char *wrong) {
  p->wrong = wrong;
  return 0;
}

/* Return the next byte, or 0 at the end. Only next() consumes the byte. */
static char peek(const struct parser *p) { return p->at == p->end ? '\0' : *p->at; }
static char next(struct parser *p) { return p->at == p->end ? '\0' : *p->at++; }

static void skip_space(struct parser *p) {
  while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r'))
    ++p->at;
}

static int check_utf8(struct parser *p) {
  const char *begin = p->at;
  for (size_t length; p->at < p->end; p->at += length)
    if (!(length = heddle_utf8_length(p->at, p->end)))
      return fail(p, "Invalid UTF-8 sequence");
  p->at = begin;
  return 1;
}

/* Reads the four hexadecimal digits of \uXXXX. */
static int read_code(struct parser *p, unsigned *code) {
  char digits[4];
  for (int i = 0; i < 4; ++i)
    digits[i] = next(p);
  *code = 0;
  for (int i = 0; i < 4; ++i) {
    char c = digits[i], letter = (char)(c | 0x20);
    int decimal = c >= '0' && c <= '9';
    if (!decimal && !(letter >= 'a' && letter <= 'f'))
      return fail(p, "Invalid \\u escape sequence");
    *code = *code << 4 | (unsigned)(decimal ? c - '0' : letter - 'a' + 10);
  }
  return 1;
}

/* Reads the digits of a \u escape, and the second escape if both are a surrogate pair. */
static int read_unicode(struct parser *p, unsigned *code) {
  unsigned second;
  if (!read_code(p, code))
    return 0;
  if (*code < 0xd800 || *code >= 0xe000)
    return 1;
  if (*code < 0xdc00 && p->end - p->at >= 2 && p->at[0] == '\\' && p->at[1] == 'u') {
    const char *begin = p->at;
    p->at += 2;
    if (!read_code(p, &second))
      return 0;
    if (second >= 0xdc00 && second < 0xe000) {
      *code = 0x10000 + ((*code - 0xd800) << 10) + (second - 0xdc00);
      return 1;
    }
    p->at = begin; /* the second escape is a character of its own */
  }
  *code = 0xfffd;
  return 1;
}

/* Reads a byte or an escape of a string and returns the number of bytes in `out`. Returns 0 after the closing quote
 * and on errors. */
static size_t read_character(struct parser *p, char out[4]) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  unsigned code;
  char c = next(p);
  if (c == '"')
    return 0;
  if (p->at == p->end)
    return (size_t)fail(p, "Unterminated string");
  if ((unsigned char)c < 0x20)
    return (size_t)fail(p, "Control character in string");
  out[0] = c;
  if (c != '\\')
    return 1;
  c = next(p);
  if (c == 'u')
    return read_unicode(p, &code) ? heddle_utf8_encode(code, out) : 0;
  const char *found = c ? strchr(from, c) : NULL;
  if (!found)
    return (size_t)fail(p, "Invalid escape sequence");
  out[0] = to[found - from];
  return 1;
}

static int parse_value(struct parser *p);

static int parse_array(struct parser *p) {
  skip_space(p);
  if (peek(p) == ']') {
    ++p->at;
    return 1;
  }
  for (;;) {
    if (!parse_value(p))
      return 0;
    skip_space(p);
    char c = next(p);
    if (c == ']')
      return 1;
    if (c != ',')
      return fail(p, "Expected , or ] after array element");
  }
}

/* Reads "name": value, and adds it to the list of members. */
static int parse_member(struct parser *p, uint32_t object) {
  struct heddle_json *json = p->json;
  char *name = p->names, character[4];
  if (next(p) != '"')
    return fail(p, "Expected object key");
  for (size_t count; (count = read_character(p, character)) > 0; p->names += count)
    memcpy(p->names, character, count);
  if (p->wrong)
    return 0;
  skip_space(p);
  if (next(p) != ':')
    return fail(p, "Expected : after object key");
  skip_space(p);
  struct heddle_json_member *member = &json->members[json->count++];
  *member = (struct heddle_json_member){name, (uint32_t)(p->names - name), object, (uint32_t)(p->at - json->text), 0};
  *p->names++ = '\0';
  if (!parse_value(p))
    return 0;
  member->end = (uint32_t)(p->at - json->text);
  return 1;
}

static int parse_object(struct parser *p) {
  uint32_t object = p->objects++;
  skip_space(p);
  if (peek(p) == '}') {
    ++p->at;
    return 1;
  }
  for (;;) {
    if (!parse_member(p, object))
      return 0;
    skip_space(p);
    char c = next(p);
    if (c == '}')
      return 1;
    if (c != ',')
      return fail(p, "Expected , or } after object property");
    skip_space(p);
  }
}

static int skip_digits(const char **at, const char *end) {
  const char *begin = *at;
  while (*at < end && **at >= '0' && **at <= '9')
    ++*at;
  return *at > begin;
}

/* Parses a number, whose first character was consumed. */
static int parse_number(struct parser *p) {
  const char *at = --p->at;
  while (p->at < p->end && *p->at && strchr("0123456789eE+-.", *p->at))
    ++p->at;
  at += *at == '+' || *at == '-';
  int digits = skip_digits(&at, p->at);
  if (at < p->at && *at == '.') {
    ++at;
    digits |= skip_digits(&at, p->at);
  }
  if (digits && at < p->at && (*at == 'e' || *at == 'E')) {
    ++at;
    at += at < p->at && (*at == '+' || *at == '-');
    digits = skip_digits(&at, p->at);
  }
  return (digits && at == p->at) || fail(p, "Invalid JSON value (number?)");
}

/* Parses null, true or false, whose first letter was consumed. */
static int parse_word(struct parser *p, const char *rest, const char *wrong) {
  for (; *rest; ++rest)
    if (next(p) != *rest)
      return fail(p, wrong);
  return 1;
}

/* Parses an object or an array with `parse`, unless it is nested too deep. */
static int parse_nested(struct parser *p, int (*parse)(struct parser *)) {
  if (++p->depth > HEDDLE_JSON_MAX_DEPTH)
    return fail(p, too_deep);
  int good = parse(p);
  --p->depth;
  return good;
}

static int parse_value(struct parser *p) {
  char character[4];
  skip_space(p);
  if (p->at == p->end)
    return fail(p, "Unexpected EOF");
  char c = next(p);
  switch (c) {
  case 'n':
    return parse_word(p, "ull", "Invalid JSON value (null?)");
  case 't':
    return parse_word(p, "rue", "Invalid JSON value (true?)");
  case 'f':
    return parse_word(p, "alse", "Invalid JSON value (false?)");
  case '"':
    while (read_character(p, character))
      ;
    return !p->wrong;
  case '[':
    return parse_nested(p, parse_array);
  case '{':
    return parse_nested(p, parse_object);
  default:
    return c && strchr("0123456789eE+-.", c) ? parse_number(p) : fail(p, "Invalid JSON value");
  }
}

static int parse_text(struct parser *p) {
  if (!check_utf8(p))
    return 0;
  skip_space(p);
  p->json->root = (uint32_t)(p->at - p->json->text);
  if (!parse_value(p))
    return 0;
  skip_space(p);
  return p->at == p->end || fail(p, "Text after end of document");
}

/* Writes the parser's error with its position: the line, from 1, and the byte in the line and in the text, from 0. */
static void describe(const struct parser *p, struct text *error) {
  const char *begin = p->json->text, *line = begin;
  unsigned long number = 1;
  for (const char *at = begin; at < p->at; ++at)
    if (*at == '\n') {
      ++number;
      line = at + 1;
    }
  if (p->wrong == too_deep)
    text_add(error, "the JSON text is nested more than %d levels deep", HEDDLE_JSON_MAX_DEPTH);
  else
    text_add(error, "not valid JSON: [%lu:%lu, byte=%lu]: %s", number, (unsigned long)(p->at - line),
             (unsigned long)(p->at - begin), p->wrong);
}

/* Sorts members by object, then by name, then by position. */
static int compare_members(const void *left, const void *right) {
  const struct heddle_json_member *a = *(const struct heddle_json_member *const *)left;
  const struct heddle_json_member *b = *(const struct heddle_json_member *const *)right;
  if (a->object != b->object)
    return a->object < b->object ? -1 : 1;
  int order = memcmp(a->name, b->name, a->name_size < b->name_size ? a->name_size : b->name_size);
  if (order == 0)
    order = (a->name_size > b->name_size) - (a->name_size < b->name_size);
  return order ? order : (a->begin > b->begin) - (a->begin < b->begin);
}

/* Reports the first member with the name of an earlier member of its object. */
static int check_duplicates(const struct heddle_json *json, struct text *error) {
  const struct heddle_json_member *twice = NULL, **sorted = malloc((json->count + (size_t)1) * sizeof *sorted);
  if (!sorted) {
    text_add(error, "too little memory");
    return 0;
  }
  for (uint32_t i = 0; i < json->count; ++i)
    sorted[i] = &json->members[i];
  qsort(sorted, json->count, sizeof *sorted, compare_members);
  for (uint32_t i = 1; i < json->count; ++i) {
    const struct heddle_json_member *a = sorted[i - 1], *b = sorted[i];
    if (a->object == b->object && a->name_size == b->name_size && memcmp(a->name, b->name, a->name_size) == 0 &&
        (!twice || b->begin < twice->begin))
      twice = b;
  }
  free(sorted);
  if (!twice)
    return 1;
  text_add(error, "the name '");
  text_add_name(error, twice->name, twice->name_size);
  text_add(error, "' occurs twice in one JSON object");
  return 0;
}

int heddle_json_check(const char *text, uint32_t size, struct heddle_json *json, char *error, size_t error_size) {
  struct text described = text_in(error, error_size);
  size_t colons = 0;
  for (uint32_t i = 0; i < size; ++i)
    colons += text[i] == ':';
  *json =
      (struct heddle_json){text, size, 0, malloc((colons + 1) * sizeof *json->members), 0, malloc(size + (size_t)1)};
  struct parser p = {text, text + size, NULL, json, json->names, 0, 0};
  int good = 0;
  if (!json->members || !json->names)
    text_add(&described, "too little memory");
  else if (!parse_text(&p))
    describe(&p, &described);
  else
    good = check_duplicates(json, &described);
  if (!good)
    heddle_json_free(json);
  return good;
}

void heddle_json_free(struct heddle_json *json) {
  free(json->members);
  free(json->names);
}

size_t heddle_json_string(const struct heddle_json *json, uint32_t begin, char *out, size_t capacity) {
  struct parser p = {json->text + begin + 1, json->text + json->size, NULL, NULL, NULL, 0, 0};
  char character[4];
  size_t size = 0;
  for (size_t count; (count = read_character(&p, character)) > 0 && count <= capacity - size; size += count)
    memcpy(out + size, character, count);
  return size;
}

size_t heddle_json_escape(char byte, char out[6]) {
  static const char digits[] = "0123456789abcdef";
  out[0] = byte;
  if ((unsigned char)byte >= 0x20 && byte != '"' && byte != '\\')
    return 1;
  memcpy(out, "\\u00", 4);
  out[4] = digits[(unsigned char)byte >> 4];
  out[5] = digits[byte & 15];
  return 6;
}
