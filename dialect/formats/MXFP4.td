//===- MXFP4.td - floats of 4 bits with a shared exponent -----------------===//

#ifndef HEDDLE_FORMATS_MXFP4_TD
#define HEDDLE_FORMATS_MXFP4_TD

include "formats/FormatAttr.td"

// The codes are twice the values of the 4-bit floats, which have one bit of fraction.
def Heddle_MXFP4 : Heddle_FormatAttr<"MXFP4", "mxfp4", 32, 17,
  Heddle_Plane<"q", "Unsigned", 1, [Heddle_Halves<8>]>, "table[q]",
  [Heddle_Plane<"e", "Unsigned", 32, [Heddle_Bits<8, 0>]>], "exp2(e - 128)", "",
  [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12]>;

#endif // HEDDLE_FORMATS_MXFP4_TD
