//===- NoteKinds.h - value types of annotations -----------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_NOTEKINDS_H
#define HEDDLE_DIALECT_NOTEKINDS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/SmallVectorExtras.h"

#include <optional>

namespace heddle {

/// The value of an annotation that is present or absent and holds no data.
struct Mark {};
/// The bounds of the elements of a tensor.
struct ElementRange {
  int64_t low = 0, high = 0; // both inclusive
  bool operator==(const ElementRange &other) const { return low == other.low && high == other.high; }
};
using Strings = llvm::SmallVector<llvm::StringRef>;
/// A size that each call provides, from `low` to `high` (both inclusive; if `low` is 0, tensors may be empty). Until
/// code is generated, types contain the number `placeholder` instead of the size (Sizes.h).
struct SizeRange {
  llvm::StringRef name;
  int64_t low = 1, high = 1, placeholder = 0;
};
using SizeRanges = llvm::SmallVector<SizeRange>;
/// A DerivedSize (DerivedSizes.h) as the annotation heddle.derived stores it.
struct DerivedSizeNote {
  llvm::StringRef name;
  llvm::ArrayRef<int64_t> code; // the stack code of the expression (SizeExpression::code)
  int64_t placeholder = 0, low = 0, high = 0;

  /// Converts an attribute; nullopt if the attribute has another form.
  static std::optional<DerivedSizeNote> read(mlir::Attribute value);
};
using DerivedSizeNotes = llvm::SmallVector<DerivedSizeNote>;
/// The sizes that all states share; a size in a range is given by its placeholder. `batch` is the number of sequences,
/// `capacity` the number of rows that each sequence has memory for (0 if no call appends rows to a state), and `rows`
/// the number of rows that a call appends to each sequence (if all states are replaced: the positions in a call).
struct StateSizes {
  int64_t batch = 0, capacity = 0, rows = 0;
};
/// A number of bytes in an arena: `fixed` plus, for each of `products`, bytes that grow in proportion to a product of
/// sizes. Such a product is given as the product of the sizes' placeholders (Sizes.h). The bytes for each product are
/// rounded up to whole cache lines.
struct ArenaBytes {
  int64_t fixed = 0;
  llvm::SmallVector<std::pair<int64_t, int64_t>> products = {}; // (bytes for each unit of the product, the product)

  ArenaBytes &operator+=(const ArenaBytes &other) {
    fixed += other.fixed;
    products.append(other.products.begin(), other.products.end());
    return *this;
  }
};

/// Converts a value of type T to and from an attribute. `read` returns nullopt if the attribute has another form.
template <typename T>
struct NoteKind;

template <>
struct NoteKind<Mark> {
  static constexpr llvm::StringLiteral expected = "no value";
  static mlir::Attribute make(mlir::MLIRContext *context, Mark) { return mlir::UnitAttr::get(context); }
  static std::optional<Mark> read(mlir::Attribute value) {
    return llvm::isa<mlir::UnitAttr>(value) ? std::optional(Mark()) : std::nullopt;
  }
};

template <>
struct NoteKind<int64_t> {
  static constexpr llvm::StringLiteral expected = "an integer";
  static mlir::Attribute make(mlir::MLIRContext *context, int64_t value) {
    return mlir::Builder(context).getI64IntegerAttr(value);
  }
  static std::optional<int64_t> read(mlir::Attribute value) {
    auto integer = llvm::dyn_cast<mlir::IntegerAttr>(value);
    bool fits = integer && integer.getValue().getSignificantBits() <= 64 && !integer.getType().isUnsignedInteger();
    return fits ? std::optional(integer.getValue().getSExtValue()) : std::nullopt;
  }
};

template <>
struct NoteKind<ElementRange> {
  static constexpr llvm::StringLiteral expected = "array<i64: LOW, HIGH> on an integer tensor";
  static mlir::Attribute make(mlir::MLIRContext *context, ElementRange value) {
    return mlir::DenseI64ArrayAttr::get(context, {value.low, value.high});
  }
  static std::optional<ElementRange> read(mlir::Attribute value) {
    auto bounds = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(value);
    return bounds && bounds.size() == 2 ? std::optional(ElementRange{bounds[0], bounds[1]}) : std::nullopt;
  }
};

template <>
struct NoteKind<StateSizes> {
  static constexpr llvm::StringLiteral expected = "array<i64: BATCH, CAPACITY, ROWS>";
  static mlir::Attribute make(mlir::MLIRContext *context, StateSizes value) {
    return mlir::DenseI64ArrayAttr::get(context, {value.batch, value.capacity, value.rows});
  }
  static std::optional<StateSizes> read(mlir::Attribute value) {
    auto numbers = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(value);
    if (!numbers || numbers.size() != 3)
      return std::nullopt;
    return StateSizes{numbers[0], numbers[1], numbers[2]};
  }
};

template <>
struct NoteKind<llvm::StringRef> {
  static constexpr llvm::StringLiteral expected = "a string";
  static mlir::Attribute make(mlir::MLIRContext *context, llvm::StringRef value) {
    return mlir::StringAttr::get(context, value);
  }
  static std::optional<llvm::StringRef> read(mlir::Attribute value) {
    auto string = llvm::dyn_cast<mlir::StringAttr>(value);
    return string ? std::optional(string.getValue()) : std::nullopt;
  }
};

template <>
struct NoteKind<Strings> {
  static constexpr llvm::StringLiteral expected = "a list of strings";
  static mlir::Attribute make(mlir::MLIRContext *context, llvm::ArrayRef<llvm::StringRef> values) {
    return mlir::Builder(context).getStrArrayAttr(values);
  }
  static std::optional<Strings> read(mlir::Attribute value) {
    auto list = llvm::dyn_cast<mlir::ArrayAttr>(value);
    if (!list || !llvm::all_of(list, llvm::IsaPred<mlir::StringAttr>))
      return std::nullopt;
    return Strings(list.getAsValueRange<mlir::StringAttr>());
  }
};

template <>
struct NoteKind<SizeRanges> {
  static constexpr llvm::StringLiteral expected =
      "a list of {name, low, high, placeholder}, 0 <= low <= high, 1 <= high, 2 <= placeholder";
  static mlir::Attribute make(mlir::MLIRContext *context, llvm::ArrayRef<SizeRange> sizes) {
    mlir::Builder b(context);
    return b.getArrayAttr(llvm::map_to_vector(sizes, [&](const SizeRange &size) -> mlir::Attribute {
      return b.getDictionaryAttr({b.getNamedAttr("name", b.getStringAttr(size.name)),
                                  b.getNamedAttr("low", b.getI64IntegerAttr(size.low)),
                                  b.getNamedAttr("high", b.getI64IntegerAttr(size.high)),
                                  b.getNamedAttr("placeholder", b.getI64IntegerAttr(size.placeholder))});
    }));
  }
  static std::optional<SizeRanges> read(mlir::Attribute value);
};

template <>
struct NoteKind<DerivedSizeNotes> {
  static constexpr llvm::StringLiteral expected =
      "a list of {name, code, placeholder, low, high}, 0 <= low <= high, 2 <= placeholder, code as in "
      "SizeExpression::code";
  static mlir::Attribute make(mlir::MLIRContext *context, llvm::ArrayRef<DerivedSizeNote> sizes) {
    mlir::Builder b(context);
    return b.getArrayAttr(llvm::map_to_vector(sizes, [&](const DerivedSizeNote &size) -> mlir::Attribute {
      return b.getDictionaryAttr({b.getNamedAttr("name", b.getStringAttr(size.name)),
                                  b.getNamedAttr("code", b.getDenseI64ArrayAttr(size.code)),
                                  b.getNamedAttr("placeholder", b.getI64IntegerAttr(size.placeholder)),
                                  b.getNamedAttr("low", b.getI64IntegerAttr(size.low)),
                                  b.getNamedAttr("high", b.getI64IntegerAttr(size.high))});
    }));
  }
  static std::optional<DerivedSizeNotes> read(mlir::Attribute value);
};

/// ArenaBytes are stored as an integer if there are no products, otherwise as an array of `fixed` and the pairs in
/// `products`.
template <>
struct NoteKind<ArenaBytes> {
  static constexpr llvm::StringLiteral expected = "an integer, or array<i64: FIXED, BYTES, PRODUCT, ...>";
  static mlir::Attribute make(mlir::MLIRContext *context, const ArenaBytes &value) {
    if (value.products.empty())
      return NoteKind<int64_t>::make(context, value.fixed);
    llvm::SmallVector<int64_t> all = {value.fixed};
    for (auto [each, product] : value.products)
      all.append({each, product});
    return mlir::DenseI64ArrayAttr::get(context, all);
  }
  static std::optional<ArenaBytes> read(mlir::Attribute value) {
    if (std::optional<int64_t> fixed = NoteKind<int64_t>::read(value))
      return ArenaBytes{*fixed, {}};
    auto all = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(value);
    if (!all || all.size() % 2 == 0)
      return std::nullopt;
    ArenaBytes bytes{all[0], {}};
    for (int64_t i = 1; i < all.size(); i += 2)
      bytes.products.push_back({all[i], all[i + 1]});
    return bytes;
  }
};

/// Dictionaries and arrays have structures that differ between annotations; the code that reads an annotation verifies
/// them.
template <>
struct NoteKind<mlir::DictionaryAttr> {
  static constexpr llvm::StringLiteral expected = "a dictionary";
  static mlir::Attribute make(mlir::MLIRContext *, mlir::DictionaryAttr value) { return value; }
  static std::optional<mlir::DictionaryAttr> read(mlir::Attribute value) {
    auto dictionary = llvm::dyn_cast<mlir::DictionaryAttr>(value);
    return dictionary ? std::optional(dictionary) : std::nullopt;
  }
};
template <>
struct NoteKind<mlir::ArrayAttr> {
  static constexpr llvm::StringLiteral expected = "a list";
  static mlir::Attribute make(mlir::MLIRContext *, mlir::ArrayAttr value) { return value; }
  static std::optional<mlir::ArrayAttr> read(mlir::Attribute value) {
    auto list = llvm::dyn_cast<mlir::ArrayAttr>(value);
    return list ? std::optional(list) : std::nullopt;
  }
};

} // namespace heddle

#endif // HEDDLE_DIALECT_NOTEKINDS_H
