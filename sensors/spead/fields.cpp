#include "sensors/spead/fields.hpp"

#include <array>

namespace takt::sensors {

namespace {

using enum KeywordUse;

constexpr auto rows_of_spead = std::to_array<HeaderKeyword>({
    {"magic", obeyed, "0x53; otherwise counted in `refused_header`"},
    {"version", obeyed, "4; otherwise counted in `refused_header`"},
    {"widths", obeyed,
     "bytes of an item's number and of its address: other than those of `flavour` are counted in "
     "`refused_header`, and a note names the flavour"},
    {"reserved", obeyed, "zero; otherwise counted in `refused_header`"},
    {"number of items", obeyed, "more than the datagram holds is counted in `refused_size`"},
    {"0 (null)", unused, "skipped"},
    {"1 (heap counter)", obeyed, "which heap; missing or addressed: counted in `refused_items`"},
    {"2 (heap length)", obeyed,
     "of a heap of another length the samples are gathered, or it is counted in `packets_aside`"},
    {"3 (payload offset)", obeyed,
     "which part of the heap; missing or addressed: counted in `refused_items`; an unexpected one in "
     "`refused_layout`"},
    {"4 (payload length)", obeyed,
     "missing or addressed: counted in `refused_items`; other than the datagram has: in `refused_size`"},
    {"5 (descriptor)", obeyed,
     "names numbers, and is compared with the pipeline file; counted in `descriptors`"},
    {"6 (stream control)", obeyed,
     "2 ends the stream and is counted in `end_marks`; others (start, describe anew) in `other_controls`"},
    {"item, item_name", obeyed, "the samples: addressed; immediate ones are noted"},
    {"timestamp, timestamp_name", obeyed, "the time: immediate, of 40 or 48 bits; an addressed one is noted"},
    {"other items", unused, "counted in `items_unused`; their numbers are noted"},
    {"0x10 (name), 0x11 (description)", obeyed,
     "of a descriptor: the name is compared with `item_name` and `timestamp_name`"},
    {"0x12 (shape), 0x13 (format), 0x15 (numpy)", obeyed,
     "of a descriptor: type, order of bytes and size are compared with the pipeline file"},
    {"0x14 (number)", obeyed, "of a descriptor: which item it describes"},
});

}  // namespace

const HeaderKeywords& spead_fields() {
  static const HeaderKeywords table{"SPEAD", "spead.md", rows_of_spead};
  return table;
}

}  // namespace takt::sensors
