#include "sensors/sigmf/keywords.hpp"

namespace takt::sensors {

namespace {

using enum KeywordUse;

constexpr HeaderKeyword sigmf_rows[] = {
    {"global", obeyed, "required object: what holds for the whole recording"},
    {"captures", obeyed, "list of capture segments, in the order of their samples"},
    {"annotations", obeyed, "list of what was found; its ends give the least number of samples"},
    {"collection", refused, "a collection of recordings: expected one of its recordings"},
    {"core:datatype", obeyed,
     "required: `r` or `c` (real, complex), `f32 f64 i32 i16 i8 u32 u16 u8`, `_le` or `_be`; half of the "
     "range of "
     "unsigned integers stands for 0, or the parameter `offset`"},
    {"core:sample_rate", obeyed, "samples in a second; without, no rate is known, with a warning"},
    {"core:num_channels", obeyed, "channels side by side; without, 1"},
    {"core:offset", obeyed, "number of the first sample in the file; without, 0"},
    {"core:dataset", obeyed,
     "name of the file of samples in the metadata's directory, instead of NAME.sigmf-data"},
    {"core:trailing_bytes", obeyed, "bytes after the last sample, skipped"},
    {"core:sha512", obeyed,
     "checksum of the file of samples, compared before the run; another one is refused, but with `verify: "
     "false`"},
    {"core:metadata_only", refused, "`true`: there are no samples"},
    {"core:extensions", obeyed, "an extension that is not `optional` is refused by its name"},
    {"core:version", obeyed, "0 and 1; later ones are refused"},
    {"core:author", carried, "author"},
    {"core:collection", carried, "the collection that the recording is part of"},
    {"core:data_doi", carried, "DOI of the samples"},
    {"core:description", carried, "description"},
    {"core:geolocation", carried, "place of the receiver"},
    {"core:hw", carried, "hardware"},
    {"core:license", carried, "license"},
    {"core:meta_doi", carried, "DOI of the metadata"},
    {"core:recorder", carried, "program that recorded"},
    {"captures core:sample_start", obeyed,
     "number of the segment's first sample; samples before the first segment are skipped with a warning"},
    {"captures core:datetime", obeyed,
     "UTC of that sample; a later segment that does not follow the one before in time begins a new epoch; "
     "one without follows the samples before it; without any, times count from 1970, with a warning"},
    {"captures core:frequency", obeyed,
     "centre of the band, Hz; segments of several frequencies are refused: the parameter `capture` chooses "
     "one"},
    {"captures core:global_index", obeyed,
     "number of that sample on the receiver's clock; a gap begins a new epoch"},
    {"captures core:header_bytes", obeyed, "bytes before the segment's samples, which are skipped"},
    {"captures core:geolocation", carried, "place of the receiver at the start of the segment"},
    {"annotations core:sample_start", obeyed, "first sample of what is described"},
    {"annotations core:sample_count", obeyed,
     "its samples: a file that ends before the last of them is cut short"},
    {"annotations core:freq_lower_edge", unused, "lower edge of what is described, Hz"},
    {"annotations core:freq_upper_edge", unused, "upper edge"},
    {"annotations core:label", unused, "short name"},
    {"annotations core:comment", unused, "comment"},
    {"annotations core:description", unused, "name of `core:label` in earlier versions"},
    {"annotations core:generator", unused, "program that found it"},
    {"annotations core:uuid", unused, "identifier"},
};

}  // namespace

const HeaderKeywords& sigmf_keywords() {
  static const HeaderKeywords table{"SigMF", "sigmf.md", sigmf_rows};
  return table;
}

}  // namespace takt::sensors
