#include "core/formats/line_writer.hpp"

#include <algorithm>
#include <array>
#include <ostream>
#include <utility>

#include "core/in_parallel.hpp"

namespace takt {

namespace {

/// So many lines take some milliseconds and a megabyte.
constexpr std::size_t lines_at_once = std::size_t{1} << 14;

}  // namespace

void LineWriter::flush() {
  if (out_ == nullptr) return;
  *out_ << text_;
  text_.clear();
}

/// Two parts are written while the two before them are handed on.
void LineWriter::put_parts(std::size_t count, const AppendPart& append) {
  if (count < lines_at_once) return append(text_, 0, count);
  std::array<std::string, 2> made, before;
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
  for (std::size_t begin = 0; begin < count; begin += 2 * lines_at_once) {
    const std::size_t middle = std::min(begin + lines_at_once, count),
                      end = std::min(middle + lines_at_once, count);
    in_parallel({[&] { append(made[0], begin, middle); }, [&] { append(made[1], middle, end); }, hand_on});
    made.swap(before);
  }
  hand_on();
}

}  // namespace takt
