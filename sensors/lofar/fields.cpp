#include "sensors/lofar/fields.hpp"

#include <array>

namespace takt::sensors {

namespace {

using enum KeywordUse;

constexpr auto rows_of_lofar = std::to_array<HeaderKeyword>({
    {"version", obeyed,
     "byte 0: 3 and 4 are read; others are counted in `refused_version` (LOFAR 2.0 has another header)"},
    {"RSP board", obeyed,
     "bytes 1-2, bits 0-4: a change within a lane is counted in `packets_of_other_set_up` and noted"},
    {"payload error", obeyed, "bytes 1-2, bit 6: such packets are counted in `refused_error_bit`"},
    {"clock", obeyed,
     "bytes 1-2, bit 7: 1 is 200 MHz, 0 is 160 MHz; another one than `clock` is counted in `refused_clock`"},
    {"bit mode", obeyed,
     "bytes 1-2, bits 8-9: 0 is 16, 1 is 8, 2 is 4 bits; another one than `bits` is counted in "
     "`refused_bit_mode`"},
    {"reserved", obeyed, "bytes 1-2, bits 5 and 10-15: zero; otherwise counted in `refused_version`"},
    {"configuration", obeyed,
     "byte 3: a change within a lane is counted in `packets_of_other_set_up` and noted"},
    {"station", obeyed, "bytes 4-5, bits 5-15: another one than `station` is counted in `refused_station`"},
    {"lane", obeyed,
     "bytes 4-5, bits 0-4: another one than most of the first 64 packets of the port have is counted in "
     "`packets_swapped`; lanes in another order than the ports, and lanes beyond 3, are noted"},
    {"beamlets", obeyed, "byte 6: other than `beamlets` is counted in `refused_size`"},
    {"samples", obeyed, "byte 7: other than 16 is counted in `refused_size`"},
    {"second", obeyed, "bytes 8-11: Unix second, little-endian; all ones is counted in `refused_second`"},
    {"block", obeyed,
     "bytes 12-15: block within the second; one beyond its end is counted in `refused_sequence`"},
});

}  // namespace

const HeaderKeywords& lofar_fields() {
  static const HeaderKeywords table{"LOFAR", "lofar.md", rows_of_lofar};
  return table;
}

}  // namespace takt::sensors
