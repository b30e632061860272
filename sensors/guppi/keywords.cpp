#include <array>

#include "sensors/guppi/header.hpp"

namespace takt::sensors {

namespace {

constexpr KeywordUse obeyed = KeywordUse::obeyed, carried = KeywordUse::carried;

constexpr std::array rows{
    HeaderKeyword{"BLOCSIZE", obeyed, "bytes of samples in a block"},
    HeaderKeyword{"OBSNCHAN", obeyed, "channels, of all antennas"},
    HeaderKeyword{
        "NPOL", obeyed,
        "4: two polarisations of complex samples. 2: two (a warning: some writers mean one). 1: one. Less "
        "than 4 with one channel: real samples"},
    HeaderKeyword{"NBITS", obeyed, "8 or 16, two's complement, little-endian; others are refused"},
    HeaderKeyword{"DATATYPE", obeyed, "`INTEGER`; others are refused"},
    HeaderKeyword{"OVERLAP", obeyed, "samples at a block's end that the next one repeats: left out"},
    HeaderKeyword{"TBIN", obeyed, "seconds between samples"},
    HeaderKeyword{"OBSFREQ", obeyed, "centre of the band, MHz"},
    HeaderKeyword{"OBSBW", obeyed, "width of the band, MHz; below 0 where channels run downwards"},
    HeaderKeyword{"PKTIDX", obeyed,
                  "number of the block's first packet: its time; a jump is a gap. Without, or where it is "
                  "the same in all blocks, they follow each other, with a warning"},
    HeaderKeyword{"PKTSIZE", obeyed, "bytes of samples in a packet: the unit of `PKTIDX`"},
    HeaderKeyword{"PIPERBLK", obeyed, "packets in a block: the unit of `PKTIDX` instead of `PKTSIZE`"},
    HeaderKeyword{"PKTFMT", obeyed, "`SIMPLE`: [time][channel]; others: [channel][time]"},
    HeaderKeyword{"DIRECTIO", obeyed, "1: headers are padded to multiples of 512 bytes"},
    HeaderKeyword{"NANTS", obeyed,
                  "antennas, whose channels follow each other: their frequencies are then left out"},
    HeaderKeyword{
        "STT_IMJD", obeyed,
        "modified Julian date of packet 0, of each block: a change where `PKTIDX` starts again is a "
        "new start, any other change causes a warning"},
    HeaderKeyword{"STT_SMJD", obeyed, "second of that day"},
    HeaderKeyword{"STT_OFFS", obeyed, "seconds beyond that; without, 0 with a warning"},
    HeaderKeyword{"BACKEND", carried, "recorder"},
    HeaderKeyword{"TELESCOP", carried, "telescope"},
    HeaderKeyword{"OBSERVER", carried, "observer"},
    HeaderKeyword{"PROJID", carried, "project"},
    HeaderKeyword{"SRC_NAME", carried, "observed source"},
    HeaderKeyword{"RA_STR", carried, "its right ascension"},
    HeaderKeyword{"DEC_STR", carried, "its declination"},
    HeaderKeyword{"RA", carried, "right ascension, degrees"},
    HeaderKeyword{"DEC", carried, "declination, degrees"},
    HeaderKeyword{"AZ", carried, "azimuth, degrees"},
    HeaderKeyword{"ZA", carried, "zenith angle, degrees"},
    HeaderKeyword{"LST", carried, "sidereal time, s"},
    HeaderKeyword{"BMAJ", carried, "beam, major axis"},
    HeaderKeyword{"BMIN", carried, "beam, minor axis"},
    HeaderKeyword{"TRK_MODE", carried, "tracking"},
    HeaderKeyword{"OBS_MODE", carried, "mode of the observation"},
    HeaderKeyword{"CAL_MODE", carried, "calibration"},
    HeaderKeyword{"CAL_FREQ", carried, "calibration signal, Hz"},
    HeaderKeyword{"CAL_DCYC", carried, "calibration signal"},
    HeaderKeyword{"CAL_PHS", carried, "calibration signal"},
    HeaderKeyword{"FRONTEND", carried, "receiver"},
    HeaderKeyword{"FD_POLN", carried, "polarisation of the feed"},
    HeaderKeyword{"FD_HAND", carried, "handedness of the feed"},
    HeaderKeyword{"FD_SANG", carried, "angle of the feed"},
    HeaderKeyword{"FD_XYPH", carried, "phase of the feed"},
    HeaderKeyword{"POL_TYPE", carried, "polarisation products"},
    HeaderKeyword{"CHAN_BW", carried, "width of a channel, MHz"},
    HeaderKeyword{"SCANNUM", carried, "number of the scan"},
    HeaderKeyword{"SCANLEN", carried, "length of the scan, s"},
    HeaderKeyword{"SCAN", carried, "scan"},
    HeaderKeyword{"BASENAME", carried, "name of the file"},
    HeaderKeyword{"DATADIR", carried, "folder of the file"},
    HeaderKeyword{"DAQPULSE", carried, "time at which the header was written"},
    HeaderKeyword{"DISKSTAT", carried, "state of the recorder"},
    HeaderKeyword{"NETSTAT", carried, "state of the recorder"},
    HeaderKeyword{"DAQSTATE", carried, "state of the recorder"},
    HeaderKeyword{
        "STTVALID", obeyed,
        "whether the start was valid when the block was written: a warning where it is 0 in the first one"},
    HeaderKeyword{"NPKT", carried, "packets received"},
    HeaderKeyword{"NDROP", obeyed, "packets dropped in the block: a warning with their sum"},
    HeaderKeyword{"DROPAVG", carried, "share of packets dropped"},
    HeaderKeyword{"DROPTOT", carried, "share of packets dropped"},
    HeaderKeyword{"DROPBLK", obeyed, "share of packets dropped in the block: a warning where it is above 0"},
    HeaderKeyword{"PKTSTART", carried, "first packet of the recording"},
    HeaderKeyword{"PKTSTOP", carried, "last packet of the recording"},
    HeaderKeyword{"SYNCTIME", carried, "Unix second of the synchronisation"},
    HeaderKeyword{"NBITSADC", carried, "bits of the digitiser"},
    HeaderKeyword{"NRCVR", carried, "receivers"},
    HeaderKeyword{"ONLY_I", carried, "of detected modes"},
    HeaderKeyword{"ACC_LEN", carried, "of detected modes"},
    HeaderKeyword{"SCHAN", carried, "first channel of this recorder"},
    HeaderKeyword{"NCHAN", carried, "channels of this recorder"},
    HeaderKeyword{"FENCHAN", carried, "channels of the filter bank"},
    HeaderKeyword{"SOURCE", carried, "observed source"},
};

}  // namespace

const HeaderKeywords& guppi_keywords() {
  static constexpr HeaderKeywords table{"GUPPI", "guppi.md", rows};
  return table;
}

}  // namespace takt::sensors
