#include "core/text/one_line.hpp"

namespace takt {

std::string one_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_long_control = text[i] == '\xc2' && i + 1 < text.size() &&
                                 static_cast<unsigned char>(text[i + 1]) >= 0x80 &&
                                 static_cast<unsigned char>(text[i + 1]) < 0xa0;
    line += is_long_control ? ' ' : blank_if_control(text[i]);
    if (is_long_control) ++i;
  }
  return line;
}

}  // namespace takt
