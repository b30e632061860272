#include "pipeline/frontend/reading/c_type.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

namespace takt::frontend {

namespace {

CType number(CType::Kind kind, std::string name, std::uint64_t size, bool is_signed = true) {
  CType type{.kind = kind, .name = std::move(name), .size = size, .alignment = size, .is_signed = is_signed};
  if (kind == CType::Kind::complex) type.alignment = size / 2;
  return type;
}

}  // namespace

const CType& CType::innermost() const {
  const CType* type = this;
  while (type->kind == Kind::array) type = type->element;
  return *type;
}

CTypes::CTypes() {
  using Kind = CType::Kind;
  const auto add = [this](CType type) { names_[type.name] = keep(type); };
  add({.kind = Kind::nothing, .name = "void", .size = 1});
  for (const char* name : {"_Bool", "bool"}) add(number(Kind::integer, name, 1, false));
  for (const char* name : {"char", "signed char"}) add(number(Kind::integer, name, 1));
  add(number(Kind::integer, "unsigned char", 1, false));
  add(number(Kind::integer, "short", 2));
  add(number(Kind::integer, "unsigned short", 2, false));
  add(number(Kind::integer, "int", 4));
  add(number(Kind::integer, "unsigned int", 4, false));
  for (const char* name : {"long", "long long"}) add(number(Kind::integer, name, 8));
  for (const char* name : {"unsigned long", "unsigned long long"}) add(number(Kind::integer, name, 8, false));
  add(number(Kind::real, "float", 4));
  add(number(Kind::real, "double", 8));
  add(number(Kind::real, "long double", 16));
  add(number(Kind::complex, "_Complex float", 8));
  add(number(Kind::complex, "_Complex double", 16));
}

const CType* CTypes::keep(CType type) {
  types_.push_back(std::move(type));
  return &types_.back();
}

const CType* CTypes::pointer_to(const CType* element) {
  return keep({.kind = CType::Kind::pointer, .size = 8, .alignment = 8, .element = element});
}

const CType* CTypes::array_of(const CType* element, std::uint64_t count) {
  return keep({.kind = CType::Kind::array,
               .size = element->size * count,
               .alignment = element->alignment,
               .is_const = element->is_const,
               .element = element,
               .count = count});
}

const CType* CTypes::named(const std::string& name, bool is_const) {
  const CType* type = nullptr;
  if (const auto found = names_.find(name); found != names_.end())
    type = found->second;
  else if (const auto alias = aliases_.find(name); alias != aliases_.end() && alias->second != name)
    type = parse(alias->second);
  else
    type = names_[name] = keep({.name = name});
  if (!is_const || type->is_const) return type;
  CType copy = *type;
  copy.is_const = true;
  return keep(std::move(copy));
}

/// Recursive descent over an abstract declarator.
class CTypes::Parser {
 public:
  Parser(CTypes& types, std::string_view text) : types_(types), text_(text) {}

  const CType* type() { return declarator(base()); }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  char peek() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  std::string word() {
    skip();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word_character(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  static bool is_qualifier(const std::string& word) {
    return word == "const" || word == "volatile" || word == "restrict" || word == "__restrict" ||
           word == "static" || word == "_Atomic";
  }

  const CType* base() {
    std::string name;
    bool is_const = false;
    while (is_word_character(peek())) {
      const std::string next = word();
      if (next == "const") is_const = true;
      if (!is_qualifier(next)) name += (name.empty() ? "" : " ") + next;
    }
    // Anonymous records: `struct (unnamed at file.c:3:9)`.
    if ((name == "struct" || name == "union" || name == "enum") && peek() == '(') {
      const std::size_t end = std::min(text_.find(')', at_), text_.size() - 1);
      name += " " + std::string(text_.substr(at_, end + 1 - at_));
      at_ = end + 1;
    }
    return types_.named(name, is_const);
  }

  const CType* declarator(const CType* type) {
    while (peek() == '*') {
      ++at_;
      CType pointer = *types_.pointer_to(type);
      while (is_word_character(peek())) {
        const std::size_t begin = at_;
        const std::string next = word();
        if (next == "const") pointer.is_const = true;
        if (!is_qualifier(next)) {
          at_ = begin;
          break;
        }
      }
      type = types_.keep(pointer);
    }
    if (peek() == '(' && (text_.substr(at_).starts_with("(*") || text_.substr(at_).starts_with("(^") ||
                          text_.substr(at_).starts_with("(&"))) {
      const std::size_t inner = ++at_;
      int depth = 1;
      while (at_ < text_.size() && depth > 0) {
        depth += text_[at_] == '(' ? 1 : text_[at_] == ')' ? -1 : 0;
        ++at_;
      }
      const std::size_t end = at_ - 1;
      type = suffixes(type);
      Parser group(types_, text_.substr(inner, end - inner));
      return group.declarator(type);
    }
    return suffixes(type);
  }

  const CType* suffixes(const CType* type) {
    if (peek() == '&') {
      while (peek() == '&') ++at_;
      CType reference = *type;
      reference.is_reference = true;
      return types_.keep(std::move(reference));
    }
    if (peek() == '[') {
      const std::size_t end = std::min(text_.find(']', at_), text_.size());
      const std::string extent(text_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
      const CType* element = suffixes(type);
      CType array = *types_.array_of(element, 0);
      const auto [stop, error] = std::from_chars(extent.data(), extent.data() + extent.size(), array.count);
      if (error != std::errc() || stop != extent.data() + extent.size()) {
        array.count = 0;
        array.count_text = extent;
      }
      array.size = array.count * element->size;
      return types_.keep(array);
    }
    if (peek() == '(') {
      at_ = text_.size();
      return types_.keep({.kind = CType::Kind::function, .element = type});
    }
    return type;
  }

  CTypes& types_;
  std::string_view text_;
  std::size_t at_ = 0;
};

const CType* CTypes::parse(std::string_view text) {
  if (const auto found = parsed_.find(text); found != parsed_.end()) return found->second;
  const CType* type = Parser(*this, text).type();
  parsed_.emplace(std::string(text), type);
  return type;
}

void CTypes::add_record(const std::string& name, bool is_union,
                        const std::vector<std::pair<std::string, std::string>>& fields) {
  CType record{.kind = CType::Kind::record, .name = name};
  for (const auto& [field, text] : fields) {
    const CType* type = parse(text);
    const std::uint64_t offset =
        is_union ? 0 : (record.size + type->alignment - 1) / type->alignment * type->alignment;
    record.fields.push_back({field, type, offset});
    record.size = std::max(record.size, offset + type->size);
    record.alignment = std::max(record.alignment, type->alignment);
  }
  record.size = (record.size + record.alignment - 1) / record.alignment * record.alignment;
  names_[name] = keep(std::move(record));
  // Types that were named before the definition.
  parsed_.clear();
}

void CTypes::add_enumeration(const std::string& name) {
  names_[name] =
      keep({.kind = CType::Kind::integer, .name = name, .size = 4, .alignment = 4, .is_signed = false});
}

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string declare(const CType& type, const std::string& name) {
  const std::string constant = type.is_const ? "const " : "";
  if (type.kind == CType::Kind::array) {
    std::string extents;
    const CType* element = &type;
    for (; element->kind == CType::Kind::array; element = element->element)
      extents += fmt::format("[{}]", element->count);
    return declare(*element, name + extents);
  }
  if (type.kind == CType::Kind::pointer) {
    const bool is_group = type.element->kind == CType::Kind::array;
    return declare(*type.element, is_group ? "(*" + name + ")" : "*" + name);
  }
  return fmt::format("{}{} {}", constant, type.name, name);
}

}  // namespace takt::frontend
