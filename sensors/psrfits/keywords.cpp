#include "sensors/psrfits/keywords.hpp"

#include <array>

namespace takt::sensors {

namespace {

using enum KeywordUse;

constexpr auto rows = std::to_array<HeaderKeyword>({
    // FITS itself.
    {"SIMPLE", obeyed, "the file is FITS"},
    {"BITPIX", obeyed, "by CFITSIO"},
    {"NAXIS", obeyed, "by CFITSIO: bytes of a row and number of rows of the table"},
    {"EXTEND", unused, "there are extensions"},
    {"XTENSION", obeyed, "by CFITSIO"},
    {"PCOUNT", obeyed, "by CFITSIO"},
    {"GCOUNT", obeyed, "by CFITSIO"},
    {"TFIELDS", obeyed, "by CFITSIO"},
    {"TTYPE", obeyed, "names of columns: DATA, DAT_FREQ, DAT_WTS, DAT_OFFS, DAT_SCL and OFFS_SUB are read"},
    {"TFORM", obeyed, "types of columns, by CFITSIO"},
    {"TUNIT", obeyed, "DAT_FREQ must be in MHz and OFFS_SUB in s"},
    {"TDIM", obeyed, "of DATA: a warning where it has another order than NCHAN, NPOL, NSBLK"},
    {"TNULL", refused, "of DATA: a value for missing samples"},
    {"TZERO", obeyed, "added to the values of DATA"},
    {"TSCAL", refused, "of DATA: another value than 1"},
    {"TDISP", unused, "how to print a column"},
    {"EXTNAME", obeyed, "SUBINT is the table with the samples; other tables are skipped"},
    {"EXTVER", unused, ""},
    {"CHECKSUM", unused, ""},
    {"DATASUM", unused, ""},
    {"COMMENT", unused, ""},
    {"HISTORY", carried, ""},
    {"ORIGIN", carried, ""},
    {"CONTINUE", unused, "the rest of a long text"},
    {"LONGSTRN", unused, ""},
    // Primary header.
    {"HDRVER", carried, "version of PSRFITS"},
    {"FITSTYPE", obeyed, "must be PSRFITS"},
    {"DATE", carried, "when the file was made"},
    {"OBSERVER", carried, ""},
    {"PROJID", carried, ""},
    {"TELESCOP", carried, ""},
    {"ANT_X", carried, "position of the antenna, m"},
    {"ANT_Y", carried, ""},
    {"ANT_Z", carried, ""},
    {"FRONTEND", carried, ""},
    {"IBEAM", carried, "number of the beam"},
    {"NRCVR", carried, ""},
    {"FD_POLN", carried, "LIN or CIRC"},
    {"FD_HAND", carried, ""},
    {"FD_SANG", carried, ""},
    {"FD_XYPH", carried, ""},
    {"BACKEND", carried, ""},
    {"BECONFIG", carried, ""},
    {"BE_PHASE", carried, "sense of the phase"},
    {"BE_DCC", carried, ""},
    {"BE_DELAY", carried, "of the backend, s: the time is not corrected by it"},
    {"TCYCLE", carried, ""},
    {"OBS_MODE", refused, "any other than SEARCH (or SRCH): folded profiles, calibrators"},
    {"DATE-OBS", carried, "STT_IMJD, STT_SMJD and STT_OFFS give the time"},
    {"OBSFREQ", carried, "DAT_FREQ gives the channels"},
    {"OBSBW", carried, ""},
    {"OBSNCHAN", carried, ""},
    {"CHAN_DM", carried, "DM of on-line dedispersion"},
    {"PNT_ID", carried, ""},
    {"SRC_NAME", carried, ""},
    {"COORD_MD", carried, ""},
    {"EQUINOX", carried, ""},
    {"RA", carried, ""},
    {"DEC", carried, ""},
    {"BMAJ", carried, ""},
    {"BMIN", carried, ""},
    {"BPA", carried, ""},
    {"STT_CRD", carried, ""},
    {"TRK_MODE", carried, ""},
    {"STP_CRD", carried, ""},
    {"SCANLEN", carried, ""},
    {"FD_MODE", carried, ""},
    {"FA_REQ", carried, ""},
    {"CAL_MODE", carried, ""},
    {"CAL_FREQ", carried, ""},
    {"CAL_DCYC", carried, ""},
    {"CAL_PHS", carried, ""},
    {"CAL_NPHS", carried, ""},
    {"STT_IMJD", obeyed, "day of the observation's begin, MJD, UTC"},
    {"STT_SMJD", obeyed, "second of that day"},
    {"STT_OFFS", obeyed, "and the fraction of it; without, 0 with a warning"},
    {"STT_LST", carried, ""},
    // SUBINT.
    {"INT_TYPE", obeyed, "must be TIME"},
    {"INT_UNIT", carried, ""},
    {"SCALE", carried, "unit of the values (FluxDen, RefFlux, Jansky)"},
    {"POL_TYPE", obeyed,
     "IQUV: the axis of polarisations is `stokes`, otherwise `polarisation`; carried, too"},
    {"NPOL", obeyed, "polarisations of a sample; without, 1 with a warning"},
    {"TBIN", obeyed, "seconds per sample"},
    {"NBIN", refused, "more than 1: folded profiles"},
    {"NBIN_PRD", unused, "of folded profiles"},
    {"PHS_OFFS", unused, "of folded profiles"},
    {"NBITS", obeyed,
     "1, 2, 4, 8, 16 or 32 (floating point); bits of a byte from the most significant one on"},
    {"ZERO_OFF", obeyed, "subtracted from each value before DAT_SCL and DAT_OFFS"},
    {"SIGNINT", obeyed, "1: values of up to 8 bits are signed, two's complement"},
    {"NSUBOFFS", obeyed, "rows before this file's, where OFFS_SUB does not give the time"},
    {"NCHAN", obeyed, "channels"},
    {"CHAN_BW", obeyed,
     "where there is no DAT_FREQ: MHz from channel to channel around OBSFREQ; carried, too"},
    {"REFFREQ", carried, "of the dispersion"},
    {"NCHNOFFS", carried, "number of the first channel"},
    {"NSBLK", obeyed, "samples in a row of the table"},
    {"NSTOT", obeyed,
     "samples of the observation in the file: fewer are in the last row than NSBLK; a warning where the "
     "table has fewer"},
    {"DM", carried, ""},
    {"RM", carried, ""},
    {"EPOCHS", carried, "of OFFS_SUB: VALID or MIDTIME; STT_BEG is not known"},
});

}  // namespace

const HeaderKeywords& psrfits_keywords() {
  static constexpr HeaderKeywords keywords{"PSRFITS", "psrfits.md", rows};
  return keywords;
}

}  // namespace takt::sensors
