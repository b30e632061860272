#include "pipeline/engine/stage_error.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"

namespace takt::pipeline {

namespace {

/// In one line, and short enough for a sentence around it.
std::string told(const std::exception& error) {
  constexpr std::size_t longest = 500;
  std::string text = error.what();
  if (text.empty()) return "threw an exception without a message";
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  if (text.size() > longest) text = text.substr(0, longest) + " ...";
  return text;
}

}  // namespace

void throw_of_stage(std::size_t stage) {
  try {
    throw;
  } catch (const ConfigError& error) {
    throw StageError(stage, error.what(), true);
  } catch (const std::exception& error) {
    throw StageError(stage, told(error));
  } catch (...) {
    throw StageError(stage, "threw an exception of unknown type");
  }
}

}  // namespace takt::pipeline
