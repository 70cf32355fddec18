//===- FragmentCode.cpp - a lane's code for the kinds of fragments --------===//

#include "FragmentCode.h"

using namespace mlir;
using namespace heddle;

#include "FragmentCode.cpp.inc"
