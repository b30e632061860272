#include "pipeline/exception_text.hpp"

#include <algorithm>

namespace takt::pipeline {

std::string exception_text(const std::exception& error) {
  constexpr std::size_t longest = 500;
  std::string text = error.what();
  if (text.empty()) return "an exception without a message";
  // They would break the line, or colour the terminal.
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  if (text.size() > longest) text = text.substr(0, longest) + " ...";
  return text;
}

}  // namespace takt::pipeline
