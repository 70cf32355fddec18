//===- Formats.cpp - looks up formats -------------------------------------===//

#include "formats/Formats.h"

using namespace mlir;
using namespace heddle;

/// Sets `found` if the attribute is a format with this name.
template <typename Attr> static void findAmong(MLIRContext *context, StringRef name, Format &found) {
  if constexpr (std::is_base_of_v<Format::Trait<Attr>, Attr>)
    if (name.equals_insensitive(Attr::getMnemonic()))
      found = Attr::get(context);
}

/// Looks for the name among the attributes that are formats.
template <typename... Attrs> static Format findAmongAll(MLIRContext *context, StringRef name) {
  Format found;
  (findAmong<Attrs>(context, name, found), ...);
  return found;
}

Format heddle::findFormat(MLIRContext *context, StringRef name) {
  context->getOrLoadDialect<HeddleDialect>();
  return findAmongAll<
#define GET_ATTRDEF_LIST
#include "HeddleAttrs.cpp.inc"
      >(context, name);
}
