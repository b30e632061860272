#pragma once
/// Numbers and pointers while main is evaluated.

#include <cstdint>

#include "pipeline/frontend/reading/c_type.hpp"
#include "pipeline/frontend/reading/memory.hpp"

namespace takt::frontend {

/// Returns the value as the integer type holds it: its low bits, with the type's sign.
[[nodiscard]] std::int64_t wrapped(std::int64_t value, const CType& type);

[[nodiscard]] bool is_pointer(const CType* type);
/// Returns the type that a pointer points to.
[[nodiscard]] const CType* pointee(const CType* type);

/// Returns the value of static memory without an initialiser.
[[nodiscard]] Value zero_of(const CType* type);

[[nodiscard]] bool is_number(const Value& value);
/// Returns a number as a real one.
[[nodiscard]] double real_of(const Value& value);

}  // namespace takt::frontend
