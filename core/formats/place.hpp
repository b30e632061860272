#pragma once
/// A position in a file of known name.

#include <string>

#include "core/error.hpp"

namespace takt {

/// Lines and columns count from 1, 0 means unknown.
struct Place {
  int line = 0;
  int column = 0;

  [[nodiscard]] SourceLocation in(const std::string& file) const { return {file, line, column}; }
};

}  // namespace takt
