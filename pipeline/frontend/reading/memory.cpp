#include "pipeline/frontend/reading/memory.hpp"

#include <utility>

#include <fmt/format.h>

namespace takt::frontend {

std::size_t Memory::add(Object object) {
  objects_.push_back(std::move(object));
  return objects_.size() - 1;
}

std::pair<std::string, bool> Memory::path(const Address& address,
                                          std::optional<std::uint64_t> array_bytes) const {
  const Object& object = objects_[address.object];
  std::string text = object.name;
  const CType* type = object.type;
  std::uint64_t offset = address.offset;
  while (type != nullptr) {
    if (type->kind == CType::Kind::array) {
      if (offset == 0 && array_bytes == type->size) return {text, true};
      if (type->element->size == 0) break;
      // The whole array as one object: a pointer to it.
      if (offset == 0 && address.type->kind == CType::Kind::array && address.type->size == type->size) break;
      text += fmt::format("[{}]", offset / type->element->size);
      offset %= type->element->size;
      type = type->element;
    } else if (type->kind == CType::Kind::record && type->size != address.type->size) {
      const CType::Field* inside = nullptr;
      for (const CType::Field& field : type->fields)
        if (field.offset <= offset && offset < field.offset + field.type->size) inside = &field;
      if (inside == nullptr) break;
      text += "." + inside->name;
      offset -= inside->offset;
      type = inside->type;
    } else {
      break;
    }
  }
  return {text, false};
}

std::string Memory::lvalue_text(const Address& address) const {
  return path(address, std::nullopt).first;
}

std::string Memory::pointer_text(const Address& address) const {
  const auto [text, is_array] = path(address, address.array_bytes);
  return is_array ? text : "&" + text;
}

}  // namespace takt::frontend
