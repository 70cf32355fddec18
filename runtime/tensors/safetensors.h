/* safetensors.h - reads and writes the headers of .safetensors files. C99, needs only libc.
 * A .safetensors file has 8 bytes with the length of a header (little-endian), the header, and the data. The header is
 * a JSON object: {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}. */
#ifndef HEDDLE_RUNTIME_TENSORS_SAFETENSORS_H
#define HEDDLE_RUNTIME_TENSORS_SAFETENSORS_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

enum {
  HEDDLE_SAFETENSORS_MAX_HEADER = 100000000, /* bytes of a header; the reference implementation has the same limit */
  HEDDLE_SAFETENSORS_MAX_RANK = 64,          /* dimensions of a tensor */
  HEDDLE_SAFETENSORS_ERROR_SIZE = 2048       /* bytes, enough for all error texts */
};

/* The types of elements that a file can have. */
enum heddle_dtype {
  HEDDLE_DTYPE_BOOL, /* one byte */
  HEDDLE_DTYPE_I8,
  HEDDLE_DTYPE_I16,
  HEDDLE_DTYPE_I32,
  HEDDLE_DTYPE_I64,
  HEDDLE_DTYPE_U8,
  HEDDLE_DTYPE_U16,
  HEDDLE_DTYPE_U32,
  HEDDLE_DTYPE_U64,
  HEDDLE_DTYPE_F16,
  HEDDLE_DTYPE_BF16,
  HEDDLE_DTYPE_F32,
  HEDDLE_DTYPE_F64,
  HEDDLE_DTYPE_F8_E4M3,
  HEDDLE_DTYPE_F8_E5M2,
  HEDDLE_DTYPE_COUNT
};

/* The name of a type in a header, such as "F32". */
const char *heddle_dtype_name(enum heddle_dtype dtype);

/* The number of bytes of one element: 1, 2, 4 or 8. */
int64_t heddle_dtype_size(enum heddle_dtype dtype);

/* A tensor of a file. */
struct heddle_safetensors_entry {
  const char *name; /* in UTF-8; it may contain 0 bytes, and a 0 byte follows it */
  size_t name_size; /* in bytes */
  enum heddle_dtype dtype;
  uint32_t rank;
  const int64_t *shape;
  int64_t begin, end; /* the offsets of the tensor's bytes in the data; they need not be aligned */
};

/* The number of bytes of a tensor of this type and shape; -1 if the number does not fit into int64_t. */
int64_t heddle_safetensors_size(const struct heddle_safetensors_entry *entry);

/* The checked header of a file. */
struct heddle_safetensors {
  const char *data;  /* points into the bytes of the file */
  int64_t data_size; /* bytes */
  /* The tensors in the order of their bytes, which cover the data without gap or overlap. */
  struct heddle_safetensors_entry *entries;
  size_t count;
  int64_t *shapes; /* the memory that contains the shapes */
  char *names;     /* the memory that contains the names */
};

/* Checks the header of a file that is not trusted; `bytes` is the whole file, to which the result refers. The header
 * must be one JSON object (json.h), no object in it may have two members of the same name, and sizes must be decimal
 * integers (1.0 and 1e3 are refused) that fit into int64_t. "__metadata__" and unknown members of an entry are ignored.
 * The function takes O(n log n) steps for a header of n bytes. Returns NULL on failure, and writes a text to `error`,
 * which has room for `error_size` bytes and is cut to fit. */
struct heddle_safetensors *heddle_safetensors_parse(const void *bytes, size_t size, char *error, size_t error_size);

/* Frees the result of heddle_safetensors_parse, but not the file's bytes. NULL is ignored. */
void heddle_safetensors_free(struct heddle_safetensors *file);

/* Returns the tensor of this name, which is terminated by 0; NULL if there is none. Compares one name after another. */
const struct heddle_safetensors_entry *heddle_safetensors_find(const struct heddle_safetensors *file, const char *name);

/* Makes all bytes in front of the data: the length, the header, and spaces up to a multiple of 8 bytes. The data of the
 * tensors follow in the order of the entries, without gaps. The function sets `begin` and `end` of all entries, and
 * *size to the number of bytes. The names must differ and be valid UTF-8.
 * The caller frees the result. The function returns NULL and writes a text to `error`, as heddle_safetensors_parse
 * does, if a shape has more than HEDDLE_SAFETENSORS_MAX_RANK dimensions, if the header would be longer than
 * HEDDLE_SAFETENSORS_MAX_HEADER, if the number of bytes of data does not fit into int64_t, or if there is not enough
 * memory. */
char *heddle_safetensors_header(struct heddle_safetensors_entry *entries, size_t count, size_t *size, char *error,
                                size_t error_size);

#ifdef __cplusplus
}
#endif
#endif
