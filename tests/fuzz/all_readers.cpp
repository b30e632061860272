/// The readers of takt_fuzz and of the test suite: all tables.

#include "tests/fuzz/reader.hpp"

namespace takt::test {

const std::vector<FuzzedReader>& fuzzed_readers() {
  static const std::vector<FuzzedReader> all = readers_of(
      {packet_readers, sample_file_readers, stream_readers, text_readers, pipeline_readers, run_readers});
  return all;
}

}  // namespace takt::test
