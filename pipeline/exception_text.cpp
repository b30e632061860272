#include "pipeline/exception_text.hpp"

#include "core/error.hpp"
#include "core/text/one_line.hpp"

namespace takt::pipeline {

std::string exception_text(const std::exception& error) {
  constexpr std::size_t longest = 500;
  std::string text = one_line(error.what());
  if (text.empty()) return "an exception without a message";
  // takt's own errors are never truncated.
  const bool is_ours = dynamic_cast<const ConfigError*>(&error) != nullptr;
  if (text.size() > longest && !is_ours) text = text.substr(0, longest) + " ...";
  return text;
}

}  // namespace takt::pipeline
