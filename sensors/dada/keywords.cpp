#include "sensors/dada/keywords.hpp"

#include <array>

namespace takt::sensors {

namespace {

constexpr KeywordUse obeyed = KeywordUse::obeyed, carried = KeywordUse::carried,
                     refused = KeywordUse::refused, unused = KeywordUse::unused;

constexpr std::array rows{
    HeaderKeyword{"HEADER", obeyed, "`DADA`; another value causes a warning"},
    HeaderKeyword{"HDR_VERSION", carried, "version of the header"},
    HeaderKeyword{"HDR_SIZE", obeyed, "bytes before the samples, 64 to 1048576; 4096 without"},
    HeaderKeyword{"DADA_VERSION", carried, "version of the recorder"},
    HeaderKeyword{"PIC_VERSION", carried, "version of the FPGA's program"},
    HeaderKeyword{"NBIT", obeyed, "bits of a number: 1, 2, 4, 8, 16 or 32"},
    HeaderKeyword{"NDIM", obeyed, "1 of real, 2 of complex samples; 1 without, with a warning"},
    HeaderKeyword{"NPOL", obeyed, "polarisations; 1 without, with a warning"},
    HeaderKeyword{"NCHAN", obeyed, "channels; 1 without, with a warning"},
    HeaderKeyword{"NANT", obeyed,
                  "antennas: with `A` in `ORDER` 1; other values without `A` cause a warning"},
    HeaderKeyword{"NBEAM", obeyed, "beams: values other than 1 cause a warning"},
    HeaderKeyword{
        "ORDER", obeyed,
        "axes from the slowest to the fastest: `T` time, `F` channel, `P` polarisation, `A` antenna. "
        "All orders that begin with time are read, with a second `T` for the times of a heap "
        "(`TAFTP`); others are refused. `TFP` without"},
    HeaderKeyword{"INNER_T", obeyed, "times in a heap, for the second `T` of `ORDER`"},
    HeaderKeyword{
        "INSTRUMENT", obeyed,
        "without `ORDER`: `MKBF` is read in heaps of 256 times (`TPFT`); `APSR`, `CASPSR` and `CPSR2`, "
        "whose order takt does not know, are refused. Carried, too"},
    HeaderKeyword{
        "ENCODING", obeyed,
        "`TwosComplement`, `OffsetBinary` or, of 32 bits, `Float`. Without: two's complement, of 32 "
        "bits floating point"},
    HeaderKeyword{"ENDIAN", obeyed, "`LITTLE` or `BIG`, of 16 and 32 bits; `LITTLE` without"},
    HeaderKeyword{"TSAMP", obeyed, "microseconds between samples"},
    HeaderKeyword{"FREQ", obeyed, "centre of the band, MHz; a warning without"},
    HeaderKeyword{"BW", obeyed, "width of the band, MHz; below 0 where channels run downwards"},
    HeaderKeyword{"UTC_START", obeyed, "start of the observation, `2013-07-02-01:37:40.5`"},
    HeaderKeyword{"MJD_START", obeyed,
                  "the same as a modified Julian date: used without `UTC_START`, compared with it otherwise"},
    HeaderKeyword{"PICOSECONDS", obeyed, "of the start, beyond `UTC_START`"},
    HeaderKeyword{"OBS_OFFSET", obeyed, "bytes of the observation before this file"},
    HeaderKeyword{"OBS_OVERLAP", obeyed, "bytes that successive files have in common: a warning unless 0"},
    HeaderKeyword{"FILE_SIZE", obeyed,
                  "bytes of samples in the file: a warning where there are more or fewer"},
    HeaderKeyword{"RESOLUTION", obeyed,
                  "bytes of the smallest unit: a warning where `OBS_OFFSET` does not fall on one"},
    HeaderKeyword{"BYTES_PER_SECOND", obeyed,
                  "a warning where it contradicts `TSAMP` and the size of a sample"},
    HeaderKeyword{"FILE_NAME", carried, "name under which the file was written"},
    HeaderKeyword{"FILE_NUMBER", carried, "number of the file in the observation"},
    HeaderKeyword{"TRANSFER_SIZE", carried, "bytes of the observation"},
    HeaderKeyword{"OBS_ID", carried, "name of the observation"},
    HeaderKeyword{"PRIMARY", carried, "host of the primary node"},
    HeaderKeyword{"SECONDARY", carried, "host of the secondary node"},
    HeaderKeyword{"SOURCE", carried, "observed source"},
    HeaderKeyword{"RA", carried, "its right ascension"},
    HeaderKeyword{"DEC", carried, "its declination"},
    HeaderKeyword{"TELESCOPE", carried, "telescope"},
    HeaderKeyword{"RECEIVER", carried, "receiver"},
    HeaderKeyword{"BEAM", carried, "beam"},
    HeaderKeyword{"BEAM_ID", carried, "beam"},
    HeaderKeyword{"OBSERVER", carried, "observer"},
    HeaderKeyword{"PROJECT", carried, "project"},
    HeaderKeyword{"PID", carried, "project"},
    HeaderKeyword{"MODE", carried, "`PSR`, `CAL`, `SEARCH`"},
    HeaderKeyword{"CALFREQ", carried, "frequency of the calibration signal, Hz"},
    HeaderKeyword{"STATE", carried, "kind of the signal: `Nyquist`, `Analytic`, `Intensity`, `PPQQ`, ..."},
    HeaderKeyword{"DSB", carried, "1: both sidebands"},
    HeaderKeyword{"START_CHANNEL", carried, "number of the first channel in the instrument"},
    HeaderKeyword{"END_CHANNEL", carried, "number of the last channel in the instrument"},
    HeaderKeyword{"ANTENNAE", carried, "antennas of a tied array"},
    HeaderKeyword{"SYNC_TIME", carried, "Unix second at which the instrument's clock was 0"},
    HeaderKeyword{"SAMPLE_CLOCK", carried, "rate of that clock, Hz"},
    HeaderKeyword{"SAMPLE_CLOCK_START", carried, "its value at the start"},
    HeaderKeyword{"OS_FACTOR", refused,
                  "oversampled channels (`8/7`): their width is not `BW` / `NCHAN`; read where it is 1/1"},
    HeaderKeyword{"COMMENT", unused, "a comment"},
};

}  // namespace

const HeaderKeywords& dada_keywords() {
  static constexpr HeaderKeywords table{"PSRDADA", "dada.md", rows};
  return table;
}

}  // namespace takt::sensors
