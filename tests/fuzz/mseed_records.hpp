#pragma once
/// miniSEED records of both versions in all encodings.

#include <string>
#include <vector>

#include "sensors/mseed/record_writer.hpp"
#include "tests/fuzz/reader.hpp"

namespace takt::test {

inline std::string records_of(sensors::MseedVersion version) {
  // A record of each encoding.
  constexpr std::size_t samples_of_record = 100;
  std::int64_t begin = 1'600'000'000'000'000'000;
  std::vector<std::byte> records;
  for (const sensors::TraceEncoding encoding :
       {sensors::TraceEncoding::steim1, sensors::TraceEncoding::steim2, sensors::TraceEncoding::int32,
        sensors::TraceEncoding::float32}) {
    sensors::RecordWriter writer(encoding == sensors::TraceEncoding::steim1 ? "NL.WIT..BHN" : "NL.HGN.00.BHZ",
                                 50, encoding, version);
    std::vector<float> samples;
    for (std::size_t i = 0; i < samples_of_record; ++i)
      samples.push_back(static_cast<float>((i * i) % 1000) - 500);
    (void)writer.put(begin, samples, records);
    (void)writer.flush(records);
    begin += 2'000'000'000;
  }
  return text_of(records);
}

}  // namespace takt::test
