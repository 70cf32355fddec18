//===- Formats.td - list of the formats -----------------------------------===//

#ifndef HEDDLE_FORMATS_TD
#define HEDDLE_FORMATS_TD

include "formats/IQ4_NL.td"
include "formats/MXFP4.td"
include "formats/Q4_0.td"
include "formats/Q4_1.td"
include "formats/Q4_K.td"
include "formats/Q5_0.td"
include "formats/Q5_1.td"
include "formats/Q5_K.td"
include "formats/Q6_K.td"
include "formats/Q8_0.td"

#endif // HEDDLE_FORMATS_TD
