//===- Q8_0.td - ggml's format Q8_0 ---------------------------------------===//

#ifndef HEDDLE_FORMATS_Q8_0_TD
#define HEDDLE_FORMATS_Q8_0_TD

include "formats/FormatAttr.td"

def Heddle_Q8_0 : Heddle_FormatAttr<"Q8_0", "q8_0", 32, 34,
  Heddle_Plane<"q", "Signed", 1, [Heddle_Bits<8, 16, [32], [8]>]>, "q", [Heddle_F16Plane<"d", 32, 0>], "d">;

#endif // HEDDLE_FORMATS_Q8_0_TD
