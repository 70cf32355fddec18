//===- IQ4_NL.td - ggml's format IQ4_NL -----------------------------------===//

#ifndef HEDDLE_FORMATS_IQ4_NL_TD
#define HEDDLE_FORMATS_IQ4_NL_TD

include "formats/FormatAttr.td"

def Heddle_IQ4_NL : Heddle_FormatAttr<"IQ4_NL", "iq4_nl", 32, 18,
  Heddle_Plane<"q", "Unsigned", 1, [Heddle_Halves<16>]>, "table[q]", [Heddle_F16Plane<"d", 32, 0>], "d", "",
  [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113]>;

#endif // HEDDLE_FORMATS_IQ4_NL_TD
