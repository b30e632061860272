#include "pipeline/stages/header_tables.hpp"

#include "sensors/dada/keywords.hpp"
#include "sensors/gnuradio/fields.hpp"
#include "sensors/guppi/header.hpp"
#include "sensors/hdf5/filterbank.hpp"
#include "sensors/lofar/fields.hpp"
#include "sensors/lwa/fields.hpp"
#include "sensors/mark5b/header.hpp"
#include "sensors/psrfits/keywords.hpp"
#include "sensors/sigmf/keywords.hpp"
#include "sensors/sigproc/keywords.hpp"
#include "sensors/spead/fields.hpp"
#include "sensors/vdif/keywords.hpp"
#include "sensors/wav/header.hpp"

namespace takt::pipeline {

const std::vector<const sensors::HeaderKeywords*>& all_header_keywords() {
  static const std::vector<const sensors::HeaderKeywords*> tables{
      // In the order of the formats in the reference.
      &sensors::lofar_fields(),     &sensors::lwa_fields(),
      &sensors::spead_fields(),     &sensors::gnuradio_fields(),
      &sensors::sigproc_keywords(), &sensors::sigmf_keywords(),
      &sensors::wav_keywords(),     &sensors::hdf5_filterbank_keywords(),
      &sensors::psrfits_keywords(), &sensors::dada_keywords(),
      &sensors::guppi_keywords(),   &sensors::mark5b_keywords(),
      &sensors::vdif_keywords(),
  };
  return tables;
}

}  // namespace takt::pipeline
