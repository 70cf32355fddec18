//===- error.cpp - the last error text of each thread ---------------------===//

#include "driver.h"

#include <stdarg.h>
#include <stdio.h>

// The text that lastError() returns. Longer texts are truncated.
static thread_local char text[512] = "";

heddle_status heddle::fail(heddle_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return status;
}

heddle_status heddle::failOutOfHostMemory() { return fail(HEDDLE_OUT_OF_DEVICE_MEMORY, "the host is out of memory"); }

const char *heddle::lastError() { return text; }
