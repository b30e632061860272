#include "core/formats/line_writer.hpp"

#include <algorithm>
#include <array>
#include <ostream>
#include <utility>

#include "core/in_parallel.hpp"

namespace takt {

namespace {

/// So many lines take some milliseconds and a megabyte.
constexpr std::size_t lines_at_once = std::size_t{1} << 13;
/// Parts that are written while as many are handed on: one of two threads is then not long without one.
constexpr std::size_t parts_at_once = 4;

}  // namespace

void LineWriter::flush() {
  if (out_ == nullptr) return;
  *out_ << text_;
  text_.clear();
}

void LineWriter::put_parts(std::size_t count, const AppendPart& append) {
  if (count < lines_at_once) return append(text_, 0, count);
  std::array<std::string, parts_at_once> made, before;
  const auto hand_on = [&] {
    flush();
    for (std::string& part : before) {
      if (out_ != nullptr)
        *out_ << part;
      else
        text_ += part;
      part.clear();
    }
  };
  for (std::size_t begin = 0; begin < count; begin += parts_at_once * lines_at_once) {
    const auto part = [&](std::size_t i) {
      return [&, i] {
        const std::size_t first = std::min(begin + i * lines_at_once, count);
        append(made[i], first, std::min(first + lines_at_once, count));
      };
    };
    in_parallel({hand_on, part(0), part(1), part(2), part(3)});
    made.swap(before);
  }
  hand_on();
}

}  // namespace takt
