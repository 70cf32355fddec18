/* safetensors.c - reads and writes the headers of .safetensors files. */
#include "safetensors.h"

#include "../call/text.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  int64_t size;
  const char *element; /* the name of the type in MLIR, which error texts use */
} dtypes[HEDDLE_DTYPE_COUNT] = {
    [HEDDLE_DTYPE_BOOL] = {"BOOL", 1, "i1"},
    [HEDDLE_DTYPE_I8] = {"I8", 1, "i8"},
    [HEDDLE_DTYPE_I16] = {"I16", 2, "i16"},
    [HEDDLE_DTYPE_I32] = {"I32", 4, "i32"},
    [HEDDLE_DTYPE_I64] = {"I64", 8, "i64"},
    [HEDDLE_DTYPE_U8] = {"U8", 1, "ui8"},
    [HEDDLE_DTYPE_U16] = {"U16", 2, "ui16"},
    [HEDDLE_DTYPE_U32] = {"U32", 4, "ui32"},
    [HEDDLE_DTYPE_U64] = {"U64", 8, "ui64"},
    [HEDDLE_DTYPE_F16] = {"F16", 2, "f16"},
    [HEDDLE_DTYPE_BF16] = {"BF16", 2, "bf16"},
    [HEDDLE_DTYPE_F32] = {"F32", 4, "f32"},
    [HEDDLE_DTYPE_F64] = {"F64", 8, "f64"},
    [HEDDLE_DTYPE_F8_E4M3] = {"F8_E4M3", 1, "f8E4M3FN"},
    [HEDDLE_DTYPE_F8_E5M2] = {"F8_E5M2", 1, "f8E5M2"},
};

const char *heddle_dtype_name(enum heddle_dtype dtype) { return dtypes[dtype].name; }

int64_t heddle_dtype_size(enum heddle_dtype dtype) { return dtypes[dtype].size; }

int64_t heddle_safetensors_size(const struct heddle_safetensors_entry *entry) {
  int64_t size = dtypes[entry->dtype].size;
  for (uint32_t d = 0; d < entry->rank; ++d)
    if (entry->shape[d] == 0)
      return 0;
  for (uint32_t d = 0; d < entry->rank; ++d) {
    if (entry->shape[d] > INT64_MAX / size)
      return -1;
    size *= entry->shape[d];
  }
  return size;
}

/* A header that is being read. */
struct reader {
  struct heddle_safetensors *file;
  struct heddle_json json;
  int64_t *shapes; /* where the next shape is stored */
  struct text error;
};

/* Writes an error text that begins with the name of the tensor. Returns 0. */
static int refuse(struct reader *r, const struct heddle_safetensors_entry *entry, const char *what) {
  text_add(&r->error, "tensor '");
  text_add_name(&r->error, entry->name, entry->name_size);
  text_add(&r->error, "': %s", what);
  return 0;
}

static const char *skip_space(const char *at) {
  while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')
    ++at;
  return at;
}

/* Reads a non-negative decimal integer. Returns the position after it, or NULL if there is none that fits into
 * int64_t. */
static const char *read_size(const char *at, int64_t *size) {
  int negative = *at == '-';
  if (*at == '-' || *at == '+')
    ++at;
  if (*at < '0' || *at > '9')
    return NULL;
  for (*size = 0; *at >= '0' && *at <= '9'; ++at) {
    if (*size > (INT64_MAX - (*at - '0')) / 10)
      return NULL;
    *size = *size * 10 + (*at - '0');
  }
  return negative && *size ? NULL : at;
}

/* Reads a member's value, which should be an array of non-negative integers, and stores the first `capacity` integers.
 * Returns the number of all integers; -1 if the value is not such an array, or if `member` is NULL. */
static int64_t read_sizes(const struct reader *r, const struct heddle_json_member *member, int64_t *sizes,
                          int64_t capacity) {
  int64_t count = 0, size;
  const char *at = member ? r->json.text + member->begin : "";
  if (*at != '[')
    return -1;
  at = skip_space(at + 1);
  if (*at == ']')
    return 0;
  for (;; at = skip_space(at + 1)) {
    if (!(at = read_size(at, &size)))
      return -1;
    if (count < capacity)
      sizes[count] = size;
    ++count;
    at = skip_space(at);
    if (*at == ']')
      return count;
    if (*at != ',') /* a fraction or an exponent */
      return -1;
  }
}

static int read_dtype(struct reader *r, const struct heddle_json_member *member,
                      struct heddle_safetensors_entry *entry) {
  char name[256];
  if (!member || r->json.text[member->begin] != '"')
    return refuse(r, entry, "its dtype is missing or not a string");
  size_t size = heddle_json_string(&r->json, member->begin, name, sizeof name);
  for (int dtype = 0; dtype < HEDDLE_DTYPE_COUNT; ++dtype)
    if (size == strlen(dtypes[dtype].name) && memcmp(name, dtypes[dtype].name, size) == 0) {
      entry->dtype = (enum heddle_dtype)dtype;
      return 1;
    }
  refuse(r, entry, "dtype '");
  text_add_name(&r->error, name, size);
  text_add(&r->error, "' is not supported");
  return 0;
}

/* Checks that the offsets lie in the data, and that a tensor of this type and shape has as many bytes as there are
 * between the offsets. */
static int check_bytes(struct reader *r, const struct heddle_safetensors_entry *entry) {
  int64_t size = heddle_safetensors_size(entry);
  if (entry->end > r->file->data_size) {
    refuse(r, entry, "data_offsets ");
    text_add(&r->error, "[%lld, %lld] reach beyond the file's %lld bytes of data", (long long)entry->begin,
             (long long)entry->end, (long long)r->file->data_size);
    return 0;
  }
  if (size < 0)
    return refuse(r, entry, "its shape is too large");
  if (size == entry->end - entry->begin)
    return 1;
  refuse(r, entry, "expected ");
  text_add(&r->error, "%lld bytes for 'tensor<", (long long)size);
  for (uint32_t d = 0; d < entry->rank; ++d)
    text_add(&r->error, "%lldx", (long long)entry->shape[d]);
  text_add(&r->error, "%s>', found %lld", dtypes[entry->dtype].element, (long long)(entry->end - entry->begin));
  return 0;
}

/* Reads the entry that is a member's value, {"dtype": .., "shape": [..], "data_offsets": [..]}. Between `member` and
 * `end` are the members of this object and of objects inside it. */
static int read_entry(struct reader *r, const struct heddle_json_member *member, const struct heddle_json_member *end,
                      struct heddle_safetensors_entry *entry) {
  const struct heddle_json_member *dtype = NULL, *shape = NULL, *data_offsets = NULL;
  int64_t offsets[2];
  entry->name = member->name;
  entry->name_size = member->name_size;
  if (r->json.text[member->begin] != '{')
    return refuse(r, entry, "expected an object with dtype, shape and data_offsets");
  for (const struct heddle_json_member *field = member + 1; field < end; ++field) {
    if (field->object != member[1].object)
      continue; /* a member of an object inside the entry */
    /* A name that contains a 0 byte is none of the three names, even if it begins with one. */
    const char *name = strlen(field->name) == field->name_size ? field->name : "";
    if (strcmp(name, "dtype") == 0)
      dtype = field;
    else if (strcmp(name, "shape") == 0)
      shape = field;
    else if (strcmp(name, "data_offsets") == 0)
      data_offsets = field;
  }
  if (!read_dtype(r, dtype, entry))
    return 0;
  int64_t rank = read_sizes(r, shape, r->shapes, HEDDLE_SAFETENSORS_MAX_RANK);
  if (rank < 0)
    return refuse(r, entry, "shape is not a list of sizes");
  if (rank > HEDDLE_SAFETENSORS_MAX_RANK) {
    refuse(r, entry, "its shape has ");
    text_add(&r->error, "%lld dimensions, at most %d are supported", (long long)rank, HEDDLE_SAFETENSORS_MAX_RANK);
    return 0;
  }
  entry->shape = r->shapes;
  entry->rank = (uint32_t)rank;
  r->shapes += rank;
  if (read_sizes(r, data_offsets, offsets, 2) != 2 || offsets[0] > offsets[1])
    return refuse(r, entry, "data_offsets is not a pair of offsets [BEGIN, END] with BEGIN <= END");
  entry->begin = offsets[0];
  entry->end = offsets[1];
  return check_bytes(r, entry);
}

static int compare_entries(const void *left, const void *right) {
  const struct heddle_safetensors_entry *a = left, *b = right;
  if (a->begin != b->begin)
    return a->begin < b->begin ? -1 : 1;
  if (a->end != b->end)
    return a->end < b->end ? -1 : 1;
  int order = memcmp(a->name, b->name, a->name_size < b->name_size ? a->name_size : b->name_size);
  return order ? order : (a->name_size > b->name_size) - (a->name_size < b->name_size);
}

/* Reads the entries of a checked text; they must cover the data completely. */
static int read_entries(struct reader *r) {
  struct heddle_safetensors *file = r->file;
  const struct heddle_json_member *members = r->json.members;
  size_t count = 0, commas = 0;
  for (uint32_t i = 0; i < r->json.count; ++i)
    count += members[i].object == 0;
  for (uint32_t i = 0; i < r->json.size; ++i)
    commas += r->json.text[i] == ',';
  file->entries = calloc(count + 1, sizeof *file->entries);
  /* The number of commas bounds the number of sizes: a shape of n sizes has n - 1 commas, and its entry has others. */
  file->shapes = r->shapes = malloc((commas + 1) * sizeof *file->shapes);
  if (!file->entries || !file->shapes) {
    text_add(&r->error, "too little memory");
    return 0;
  }
  for (uint32_t i = 0, end; i < r->json.count; i = end) {
    for (end = i + 1; end < r->json.count && members[end].begin < members[i].end; ++end)
      ;
    if (strcmp(members[i].name, "__metadata__") == 0 && members[i].name_size == strlen("__metadata__"))
      continue;
    if (!read_entry(r, &members[i], &members[end], &file->entries[file->count++]))
      return 0;
  }
  qsort(file->entries, file->count, sizeof *file->entries, compare_entries);
  int64_t covered = 0;
  for (const struct heddle_safetensors_entry *entry = file->entries; entry < file->entries + file->count; ++entry) {
    if (entry->begin != covered) {
      refuse(r, entry, "expected its bytes to start at ");
      text_add(&r->error, "%lld, found %lld%s", (long long)covered, (long long)entry->begin,
               entry->begin < covered ? " (an overlap)" : " (a gap)");
      return 0;
    }
    covered = entry->end;
  }
  if (covered != file->data_size)
    text_add(&r->error, "expected %lld bytes of data, found %lld", (long long)covered, (long long)file->data_size);
  return covered == file->data_size;
}

static int read_header(struct reader *r, const char *bytes, size_t size, char *error, size_t error_size) {
  uint64_t length = 0;
  if (size < 8) {
    text_add(&r->error, "expected at least 8 bytes, found %lu", (unsigned long)size);
    return 0;
  }
  for (int i = 7; i >= 0; --i)
    length = length << 8 | (unsigned char)bytes[i];
  if (length > HEDDLE_SAFETENSORS_MAX_HEADER) {
    text_add(&r->error, "expected a header of at most %d bytes, found %llu: not a .safetensors file?",
             HEDDLE_SAFETENSORS_MAX_HEADER, (unsigned long long)length);
    return 0;
  }
  if (length > size - 8) {
    text_add(&r->error, "expected a header of %llu bytes, found only %llu", (unsigned long long)length,
             (unsigned long long)(size - 8));
    return 0;
  }
  r->file->data = bytes + 8 + length;
  r->file->data_size = (int64_t)(size - 8 - (size_t)length);
  if (!heddle_json_check(bytes + 8, (uint32_t)length, &r->json, error, error_size))
    return 0;
  r->file->names = r->json.names;
  int good = 0;
  if (r->json.text[r->json.root] == '{')
    good = read_entries(r);
  else
    text_add(&r->error, "expected a JSON object");
  free(r->json.members);
  return good;
}

struct heddle_safetensors *heddle_safetensors_parse(const void *bytes, size_t size, char *error, size_t error_size) {
  struct reader r = {calloc(1, sizeof *r.file), {0}, NULL, text_in(error, error_size)};
  if (r.file && read_header(&r, bytes, size, error, error_size))
    return r.file;
  if (!r.file)
    text_add(&r.error, "too little memory");
  heddle_safetensors_free(r.file);
  return NULL;
}

void heddle_safetensors_free(struct heddle_safetensors *file) {
  if (!file)
    return;
  free(file->entries);
  free(file->shapes);
  free(file->names);
  free(file);
}

const struct heddle_safetensors_entry *heddle_safetensors_find(const struct heddle_safetensors *file,
                                                               const char *name) {
  size_t size = strlen(name);
  for (size_t i = 0; i < file->count; ++i)
    if (file->entries[i].name_size == size && memcmp(file->entries[i].name, name, size) == 0)
      return &file->entries[i];
  return NULL;
}
