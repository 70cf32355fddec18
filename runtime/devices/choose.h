// choose.h - selects one of several devices by number, name or UUID.
#ifndef HEDDLE_DEVICES_CHOOSE_H
#define HEDDLE_DEVICES_CHOOSE_H

#include "driver.h"

namespace heddle {

// The properties by which a device is selected.
struct Candidate {
  char name[256];
  char uuid[37]; // in the form xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx
  int rank;      // lower for devices that are more capable
};
// Writes a UUID as text in the form of Candidate::uuid.
void writeUuid(const uint8_t (&bytes)[16], char (&text)[37]);

// Returns the index of the device that `which` names. `which` is the part after the colon of "KIND:WHICH" (see
// heddle_device_open), or NULL, which selects the most capable device. `kind` is for the error text. Returns -1 if
// `which` names no device or several, with the reason in lastError().
int64_t choose(const char *kind, const Candidate *candidates, uint32_t count, const char *which);

} // namespace heddle

#endif // HEDDLE_DEVICES_CHOOSE_H
