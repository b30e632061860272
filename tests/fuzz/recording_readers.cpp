/// The readers of takt_fuzz_sensors: those of recordings, packets and streams.

#include "tests/fuzz/reader.hpp"

namespace takt::test {

const std::vector<FuzzedReader>& fuzzed_readers() {
  static const std::vector<FuzzedReader> all =
      readers_of({packet_readers, sample_file_readers, stream_readers});
  return all;
}

}  // namespace takt::test
