#include "core/formats/line_writer.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <ostream>
#include <utility>

#include "core/system/in_parallel.hpp"

namespace takt {

namespace {

/// This many lines take a millisecond and a quarter of a megabyte.
constexpr std::size_t lines_at_once = std::size_t{1} << 12;
/// Number of parts written while as many are output, each by the next free thread: neither activity then
/// waits long for a thread.
constexpr std::size_t parts_at_once = 16;

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
    std::atomic<std::size_t> next = 0;
    const auto write = [&] {
      for (std::size_t i = next++; i < parts_at_once; i = next++) {
        const std::size_t first = std::min(begin + i * lines_at_once, count);
        append(made[i], first, std::min(first + lines_at_once, count));
      }
    };
    in_parallel({hand_on, write, write});
    made.swap(before);
  }
  hand_on();
}

}  // namespace takt
