#pragma once
/// Types of C, with the sizes that they have on 64-bit Linux.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace takt::frontend {

struct CType {
  enum class Kind : std::uint8_t {
    nothing,
    integer,
    real,
    complex,
    pointer,
    array,
    record,
    function,
    unknown
  };

  struct Field {
    std::string name;
    const CType* type = nullptr;
    std::uint64_t offset = 0;
  };

  Kind kind = Kind::unknown;
  /// As C, without qualifiers: `double`, `struct point`; of pointers and arrays empty.
  std::string name = {};
  std::uint64_t size = 0;
  std::uint64_t alignment = 1;
  bool is_signed = true;
  bool is_const = false;
  /// A reference of C++ to this type.
  bool is_reference = false;
  /// What a pointer points to, or the element of an array.
  const CType* element = nullptr;
  /// Elements of an array; other extents than numbers are kept as text.
  std::uint64_t count = 0;
  std::string count_text = {};
  std::vector<Field> fields = {};

  [[nodiscard]] bool is_number() const {
    return kind == Kind::integer || kind == Kind::real || kind == Kind::complex;
  }
  /// Returns the innermost element of nested arrays.
  [[nodiscard]] const CType& innermost() const;
};

/// All types of one program, made from clang's text for them.
class CTypes {
 public:
  CTypes();
  /// Returns the type of a text such as `const double (*)[8]`. Types live as long as this object.
  const CType* parse(std::string_view text);
  void add_alias(const std::string& name, const std::string& text) { aliases_.emplace(name, text); }
  /// Adds `struct NAME`; the fields' offsets follow from their types.
  void add_record(const std::string& name, bool is_union,
                  const std::vector<std::pair<std::string, std::string>>& fields);
  void add_enumeration(const std::string& name);
  const CType* pointer_to(const CType* element);
  const CType* array_of(const CType* element, std::uint64_t count);

 private:
  class Parser;
  const CType* keep(CType type);
  const CType* named(const std::string& name, bool is_const);

  std::deque<CType> types_;
  std::map<std::string, const CType*, std::less<>> parsed_;
  std::map<std::string, const CType*, std::less<>> names_;
  std::map<std::string, std::string, std::less<>> aliases_;
};

/// Reports a letter, digit or underscore: a part of a name.
[[nodiscard]] bool is_word_character(char c);

/// Returns a declaration of a name with this type: `double data[4][8]`.
[[nodiscard]] std::string declare(const CType& type, const std::string& name);

}  // namespace takt::frontend
