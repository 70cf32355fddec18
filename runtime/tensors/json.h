/* json.h - checks a JSON text and lists the members of its objects. C99, needs only libc. */
#ifndef HEDDLE_RUNTIME_TENSORS_JSON_H
#define HEDDLE_RUNTIME_TENSORS_JSON_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The maximum number of objects and arrays that enclose each other. */
enum { HEDDLE_JSON_MAX_DEPTH = 100 };

/* A member of an object: "name": value. */
struct heddle_json_member {
  const char *name;    /* without quotes and escapes, in UTF-8; it may contain 0 bytes, and a 0 byte follows it */
  uint32_t name_size;  /* in bytes */
  uint32_t object;     /* the number of the object, counted from 0 in the order in which the objects begin */
  uint32_t begin, end; /* the offsets of the value in the text */
};

/* A checked text, with a list of the members of its objects. */
struct heddle_json {
  const char *text;
  uint32_t size, root;                /* the number of bytes of the text, and the offset of its value */
  struct heddle_json_member *members; /* the members of all objects, in the order of the text */
  uint32_t count;
  char *names; /* the memory that contains the names */
};

/* Checks a text that is not trusted and fills in *json, which refers to the text. The text must be one JSON value in
 * valid UTF-8, surrounded by nothing but white space. No object may have two members of the same name. Like llvm::json,
 * the function also accepts numbers such as +1, 01, 1. and .5, and a \u escape that is half of a surrogate pair becomes
 * U+FFFD. The function takes O(n log n) steps for n bytes, and its recursion is limited by HEDDLE_JSON_MAX_DEPTH.
 * Returns 1 on success. Else returns 0, writes a text to `error`, which has room for `error_size` bytes and is cut to
 * fit, and leaves nothing to free. */
int heddle_json_check(const char *text, uint32_t size, struct heddle_json *json, char *error, size_t error_size);

/* Frees the memory of a checked text, but not the text itself. */
void heddle_json_free(struct heddle_json *json);

/* Decodes the string that begins at byte `begin` of a checked text. Writes its first bytes, at most `capacity`, without
 * a terminating 0, and returns their number. */
size_t heddle_json_string(const struct heddle_json *json, uint32_t begin, char *out, size_t capacity);

/* Writes one byte of a string as it must be written between quotes in JSON, and returns the number of bytes: 1 or 6. */
size_t heddle_json_escape(char byte, char out[6]);

#ifdef __cplusplus
}
#endif
#endif
