#pragma once
/// Hand-made PSRFITS files.

#include <array>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace takt::test {

template <class Value>
[[nodiscard]] std::string big_endian(Value value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return {bytes.rbegin(), bytes.rend()};
}

/// A hand-made FITS file by the FITS standard 4.0: cards of 80 characters, blocks of 2880 bytes. Two
/// polarisations of two channels, four samples per row.
struct HandMadeFits {
  std::map<std::string, std::string> primary{
      {"FITSTYPE", "'PSRFITS'"}, {"OBS_MODE", "'SEARCH'"},   {"STT_IMJD", "55000"}, {"STT_SMJD", "3600"},
      {"STT_OFFS", "0.25"},      {"SRC_NAME", "'B0329+54'"}, {"OBSFREQ", "1400.0"}};
  std::map<std::string, std::string> subint{
      {"NBITS", "8"},         {"NCHAN", "2"},         {"NPOL", "2"},      {"NSBLK", "4"}, {"TBIN", "0.5"},
      {"SIGNINT", "0"},       {"ZERO_OFF", "0"},      {"NSUBOFFS", "0"},  {"NBIN", "1"},  {"NCHNOFFS", "0"},
      {"POL_TYPE", "'AABB'"}, {"INT_TYPE", "'TIME'"}, {"CHAN_BW", "-0.5"}};
  std::string data_form = "16B";
  /// The bytes of DATA in each row.
  std::vector<std::string> rows;
  std::vector<float> scales{1, 1, 1, 1}, offsets{0, 0, 0, 0}, weights{1, 1};
  std::vector<double> frequencies{1400, 1399.5};
  /// One per row; missing entries are 0.
  std::vector<double> middles;

  [[nodiscard]] std::string bytes() const {
    std::string table;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      table += big_endian(row < middles.size() ? middles[row] : 0.0);
      for (const double frequency : frequencies) table += big_endian(frequency);
      for (const float weight : weights) table += big_endian(weight);
      for (const float offset : offsets) table += big_endian(offset);
      for (const float scale : scales) table += big_endian(scale);
      table += rows[row];
    }
    const std::size_t row_bytes = rows.empty() ? 0 : table.size() / rows.size();
    std::string file = card("SIMPLE", "T") + card("BITPIX", "8") + card("NAXIS", "0") + card("EXTEND", "T");
    for (const auto& [name, value] : primary) file += card(name, value);
    pad(file += card("END", ""), ' ');
    std::string head = card("XTENSION", "'BINTABLE'") + card("BITPIX", "8") + card("NAXIS", "2") +
                       card("NAXIS1", std::to_string(row_bytes)) +
                       card("NAXIS2", std::to_string(rows.size())) + card("PCOUNT", "0") +
                       card("GCOUNT", "1") + card("TFIELDS", "6");
    const std::array<std::pair<const char*, std::string>, 6> columns{{{"OFFS_SUB", "1D"},
                                                                      {"DAT_FREQ", form(frequencies, 'D')},
                                                                      {"DAT_WTS", form(weights, 'E')},
                                                                      {"DAT_OFFS", form(offsets, 'E')},
                                                                      {"DAT_SCL", form(scales, 'E')},
                                                                      {"DATA", data_form}}};
    for (std::size_t i = 0; i < columns.size(); ++i)
      head += card(fmt::format("TTYPE{}", i + 1), fmt::format("'{}'", columns[i].first)) +
              card(fmt::format("TFORM{}", i + 1), fmt::format("'{}'", columns[i].second));
    head += card("EXTNAME", "'SUBINT'");
    for (const auto& [name, value] : subint) head += card(name, value);
    pad(head += card("END", ""), ' ');
    pad(table, '\0');
    return file + head + table;
  }

 private:
  template <class Value>
  static std::string form(const std::vector<Value>& values, char letter) {
    return fmt::format("{}{}", values.size(), letter);
  }
  static std::string card(const std::string& name, const std::string& value) {
    return fmt::format("{:80}", value.empty() ? name : fmt::format("{:8}= {:>20}", name, value));
  }
  static void pad(std::string& text, char with) { text.resize((text.size() + 2879) / 2880 * 2880, with); }
};

/// Samples 0, 1, 2, ... of [sample][polarisation][channel], 8 bits.
inline HandMadeFits counting(std::size_t rows) {
  HandMadeFits fits;
  for (std::size_t row = 0; row < rows; ++row) {
    fits.rows.emplace_back();
    for (std::size_t i = 0; i < 16; ++i) fits.rows.back() += static_cast<char>(row * 16 + i);
  }
  return fits;
}

}  // namespace takt::test
