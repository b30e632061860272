#include "sensors/lwa/fields.hpp"

#include <array>

namespace takt::sensors {

namespace {

using enum KeywordUse;

constexpr auto rows_of_lwa = std::to_array<HeaderKeyword>({
    {"sync word", obeyed, "bytes 0-3: dec0de5c; otherwise counted in `refused_sync`"},
    {"ID", obeyed,
     "byte 4. DRX: bits 0-2 beam, 3-5 tuning, 7 polarisation: those that are not taken are counted in "
     "`refused_signal`; bit 6 is zero, otherwise counted in `refused_mode`. TBN: zero, otherwise counted in "
     "`refused_mode`"},
    {"frame count", unused, "bytes 5-7: in TBN within a second, in DRX zero; time tags count packets"},
    {"second count", unused, "bytes 8-11 of DRX: zero; time tags count time"},
    {"tuning word", obeyed,
     "bytes 8-11 of TBN, 24-27 of DRX: centre frequency, 196 MHz * word / 2^32; `lwa_file` reads it, a "
     "change is counted in `packets_retuned` and noted"},
    {"TBN ID", obeyed,
     "bytes 12-13 of TBN: bits 0-13 input, 2 * stand - 1 + polarisation; bits 14 (reserved) and 15 (wide "
     "band) are zero, otherwise counted in `refused_mode`"},
    {"gain", obeyed, "bytes 14-15 of TBN: a change is counted in `packets_of_other_gain` and noted"},
    {"decimation", obeyed,
     "bytes 12-13 of DRX: clocks per sample; other than those of `sample_rate` is counted in `refused_rate`"},
    {"time offset", obeyed, "bytes 14-15 of DRX: clocks by which the time tag is late; taken off"},
    {"time tag", obeyed,
     "bytes 16-23: clocks of 196 MHz since 1970; one between those of the stream's packets is counted in "
     "`refused_time`"},
    {"flags", obeyed,
     "bytes 28-31 of DRX: zero; others are counted in `packets_flagged` and noted; the samples are "
     "used"},
});

}  // namespace

const HeaderKeywords& lwa_fields() {
  static const HeaderKeywords table{"LWA", "lwa.md", rows_of_lwa};
  return table;
}

}  // namespace takt::sensors
