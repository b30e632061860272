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

/// Reports whether values of the type contain a pointer to data.
[[nodiscard]] bool has_pointer(const CType* type);
/// Reports whether values of the type contain a pointer through which data can change.
[[nodiscard]] bool has_pointer_to_variable(const CType* type);

/// Returns the value of static memory without an initialiser.
[[nodiscard]] Value zero_of(const CType* type);

[[nodiscard]] bool is_number(const Value& value);
/// Returns a number as a real one.
[[nodiscard]] double real_of(const Value& value);

}  // namespace takt::frontend
