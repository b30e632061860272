#include "pipeline/frontend/reading/numbers.hpp"

#include <algorithm>

namespace takt::frontend {

std::int64_t wrapped(std::int64_t value, const CType& type) {
  if (type.size >= 8 || type.size == 0) return value;
  const auto bits = static_cast<unsigned>(type.size * 8);
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  const std::uint64_t low = static_cast<std::uint64_t>(value) & mask;
  const bool is_negative = type.is_signed && ((low >> (bits - 1)) & 1) != 0;
  return static_cast<std::int64_t>(is_negative ? low | ~mask : low);
}

bool is_pointer(const CType* type) {
  return type != nullptr && type->kind == CType::Kind::pointer;
}

const CType* pointee(const CType* type) {
  return type->element;
}

bool has_pointer(const CType* type) {
  if (type == nullptr) return false;
  if (type->kind == CType::Kind::pointer) return type->element->kind != CType::Kind::function;
  if (type->kind == CType::Kind::array) return has_pointer(type->element);
  return std::ranges::any_of(type->fields, [](const CType::Field& field) { return has_pointer(field.type); });
}

bool has_pointer_to_variable(const CType* type) {
  if (type == nullptr) return false;
  if (type->kind == CType::Kind::pointer) {
    const CType& target = *type->element;
    if (target.kind == CType::Kind::function) return false;
    return !target.is_const || has_pointer(&target);
  }
  if (type->kind == CType::Kind::array) return has_pointer_to_variable(type->element);
  return std::ranges::any_of(type->fields,
                             [](const CType::Field& field) { return has_pointer_to_variable(field.type); });
}

Value zero_of(const CType* type) {
  if (type != nullptr && type->kind == CType::Kind::real) return 0.0;
  if (is_pointer(type)) return NullPointer{};
  return std::int64_t{0};
}

double real_of(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
  return std::get<double>(value);
}

bool is_number(const Value& value) {
  return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
}

}  // namespace takt::frontend
