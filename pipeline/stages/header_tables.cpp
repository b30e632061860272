#include "pipeline/stages/header_tables.hpp"

#include "sensors/sigmf/keywords.hpp"
#include "sensors/sigproc/keywords.hpp"
#include "sensors/wav/header.hpp"

namespace takt::pipeline {

const std::vector<const sensors::HeaderKeywords*>& all_header_keywords() {
  static const std::vector<const sensors::HeaderKeywords*> tables{
      &sensors::sigproc_keywords(),
      &sensors::sigmf_keywords(),
      &sensors::wav_keywords(),
  };
  return tables;
}

}  // namespace takt::pipeline
