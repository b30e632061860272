#include "sensors/vdif/keywords.hpp"

#include <array>
#include <cctype>

#include <fmt/format.h>

namespace takt::sensors {

namespace {

constexpr KeywordUse obeyed = KeywordUse::obeyed, carried = KeywordUse::carried, unused = KeywordUse::unused;

constexpr std::array rows{
    HeaderKeyword{"invalid", obeyed,
                  "word 0, bit 31: the frame is counted as `refused_invalid`; nothing else in it counts"},
    HeaderKeyword{"legacy", obeyed, "word 0, bit 30: a header of 16 bytes instead of 32"},
    HeaderKeyword{"seconds", obeyed, "word 0, bits 29-0: seconds since the epoch, leap seconds included"},
    HeaderKeyword{"unassigned", obeyed, "word 1, bits 31-30: a warning unless 0"},
    HeaderKeyword{"epoch", obeyed, "word 1, bits 29-24: half-years since 2000-01-01"},
    HeaderKeyword{"frame", obeyed, "word 1, bits 23-0: number of the frame in its second and thread"},
    HeaderKeyword{"version", obeyed, "word 2, bits 31-29: 0 or 1, others are read with a warning"},
    HeaderKeyword{"channels", obeyed, "word 2, bits 28-24: their logarithm to base 2"},
    HeaderKeyword{"length", obeyed, "word 2, bits 23-0: bytes of the frame, header included, in eighths"},
    HeaderKeyword{"complex", obeyed, "word 3, bit 31"},
    HeaderKeyword{"bits", obeyed,
                  "word 3, bits 30-26: bits of a sample, or of its real or imaginary part, less 1"},
    HeaderKeyword{"thread", obeyed, "word 3, bits 25-16"},
    HeaderKeyword{"station", obeyed, "word 3, bits 15-0: a number or two letters; carried, too"},
    HeaderKeyword{
        "EDV", obeyed,
        "word 4, bits 31-24: extended data version. 0 to 4 are known; 0xAB, a Mark 5B frame within VDIF, "
        "is refused; others are read with a warning"},
    HeaderKeyword{"EDV 0 words 4-7", unused, "without meaning"},
    HeaderKeyword{
        "EDV 1, 3 rate", obeyed,
        "word 4, bit 23: MHz (else kHz), bits 22-0: bandwidth. Complex samples come at this rate, real "
        "ones at twice; a warning where the source's sample rate is another one"},
    HeaderKeyword{
        "EDV 1, 3, 4 sync", obeyed,
        "word 5: 0xACABFEED. Without it, frames of EDV 3 are refused, the rate of EDV 1 (unless 0) and the "
        "mask of EDV 4 are skipped with a warning"},
    HeaderKeyword{"EDV 1 DAS", carried, "words 6-7: name of the data acquisition system"},
    HeaderKeyword{"EDV 2", carried, "words 4-7: polarisation, status and number of the packet (ALMA)"},
    HeaderKeyword{"EDV 3 tuning", carried, "word 6: LO/IF tuning"},
    HeaderKeyword{"EDV 3 unit", carried,
                  "word 7: back end, IF, sub-band, sideband, revision and personality (VLBA)"},
    HeaderKeyword{"EDV 4 groups", obeyed, "word 4, bits 23-16: bits of the mask, each for so many channels"},
    HeaderKeyword{"EDV 4 mask", obeyed,
                  "words 6-7: 1 of valid channels; others become NaN and are counted as `channels_masked`"},
};

}  // namespace

const HeaderKeywords& vdif_keywords() {
  static constexpr HeaderKeywords table{"VDIF", "vdif.md", rows};
  return table;
}

std::vector<std::string> description_of(const VdifHeader& header) {
  const auto high = static_cast<char>(header.station >> 8), low = static_cast<char>(header.station & 0xFF);
  const auto is_letter = [](char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0; };
  std::vector<std::string> lines{is_letter(high) && is_letter(low)
                                     ? fmt::format("station: {}{}", high, low)
                                     : fmt::format("station: {}", header.station)};
  if (header.is_legacy) return lines;
  const auto& [sixth, seventh] = header.extended_words;
  if (header.extended_version == 1 && (sixth != 0 || seventh != 0)) {
    std::string name;
    for (const std::uint32_t word : header.extended_words)
      for (unsigned byte = 0; byte < 4; ++byte)
        if (const auto letter = static_cast<char>(word >> 8 * byte & 0xFF); letter != 0)
          name += std::isprint(static_cast<unsigned char>(letter)) != 0 ? letter : '?';
    lines.push_back("EDV 1 DAS: " + name);
  }
  if (header.extended_version == 2)
    lines.push_back(fmt::format("EDV 2: {:#08x} {:#010x} {:#010x} {:#010x}", header.extended_data,
                                header.sync_word, sixth, seventh));
  if (header.extended_version == 3) {
    lines.push_back(fmt::format("EDV 3 tuning: {:#010x}", sixth));
    lines.push_back(fmt::format(
        "EDV 3 unit: back end {}, IF {}, sub-band {}, sideband {}, revision {}.{}, personality {}",
        seventh >> 24 & 0xF, seventh >> 20 & 0xF, seventh >> 17 & 7,
        (seventh >> 16 & 1) != 0 ? "upper" : "lower", seventh >> 12 & 0xF, seventh >> 8 & 0xF,
        seventh & 0xFF));
  }
  return lines;
}

}  // namespace takt::sensors
