#include "sensors/gnuradio/fields.hpp"

#include <array>

namespace takt::sensors {

namespace {

using enum KeywordUse;

constexpr auto rows_of_gnuradio = std::to_array<HeaderKeyword>({
    {"sequence number", obeyed,
     "UDP, header type 1: lost and repeated datagrams; a datagram of another length than number and "
     "`payload` is counted in `refused_size`"},
    {"size", refused,
     "UDP, header type 2: 16 bits after the number; counted in `refused_size`, and a note names the type"},
    {"magic", obeyed,
     "ZeroMQ with tags: 0x5FF0; without it `gnuradio_tags` counts `refused_header`, with it `gnuradio` does, "
     "and a note names the key to change"},
    {"version", obeyed, "ZeroMQ with tags: 1; otherwise counted in `refused_header`"},
    {"offset", obeyed,
     "ZeroMQ with tags: number of the first item; gaps are missing samples, a step back begins a new epoch"},
    {"number of tags", obeyed,
     "ZeroMQ with tags: this many tags are skipped; a message that ends within them is counted in "
     "`refused_header`"},
    {"tags", unused, "ZeroMQ with tags: offset, key, value and source of each are skipped"},
    {"key", unused, "ZeroMQ: a part before the message; `topic` of a source `sub` chooses by it"},
});

}  // namespace

const HeaderKeywords& gnuradio_fields() {
  static const HeaderKeywords table{"GNU Radio", "gnuradio.md", rows_of_gnuradio};
  return table;
}

}  // namespace takt::sensors
