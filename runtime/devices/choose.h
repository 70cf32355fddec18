// choose.h - one device of several, by number, name or UUID.
#ifndef HEDDLE_DEVICES_CHOOSE_H
#define HEDDLE_DEVICES_CHOOSE_H

#include "driver.h"

namespace heddle {

// What devices are chosen by.
struct Candidate {
  char name[256];
  char uuid[37]; // as xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx
  int rank;      // the less, the more capable
};
void writeUuid(const uint8_t (&bytes)[16], char (&text)[37]);

// The place of the one that `which` names, what follows the colon of "KIND:WHICH" (see heddle_device_open; NULL: the
// most capable); -1 where it names none, or several, with the reason in lastError().
int64_t choose(const char *kind, const Candidate *candidates, uint32_t count, const char *which);

} // namespace heddle

#endif // HEDDLE_DEVICES_CHOOSE_H
