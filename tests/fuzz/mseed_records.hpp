#pragma once
/// miniSEED records of both versions in all encodings.

#include <string>
#include <vector>

#include "sensors/mseed/record_writer.hpp"
#include "tests/fuzz/reader.hpp"

namespace takt::test {

inline std::string records_of(sensors::MseedVersion version) {
  constexpr std::int64_t begin = 1'600'000'000'000'000'000;
  std::vector<std::byte> records;
  for (const sensors::TraceEncoding encoding :
       {sensors::TraceEncoding::steim1, sensors::TraceEncoding::steim2, sensors::TraceEncoding::int32,
        sensors::TraceEncoding::float32}) {
    sensors::RecordWriter writer(encoding == sensors::TraceEncoding::steim1 ? "NL.WIT..BHN" : "NL.HGN.00.BHZ",
                                 50, encoding, version);
    std::vector<float> samples;
    for (int i = 0; i < 300; ++i) samples.push_back(static_cast<float>((i * i) % 1000 - 500));
    (void)writer.put(begin + static_cast<std::int64_t>(encoding) * 6'000'000'000, samples, records);
    (void)writer.flush(records);
  }
  return text_of(records);
}

}  // namespace takt::test
