#include "pipeline/stages/header_tables.hpp"

namespace takt::pipeline {

const std::vector<const sensors::HeaderKeywords*>& all_header_keywords() {
  static const std::vector<const sensors::HeaderKeywords*> tables{};
  return tables;
}

}  // namespace takt::pipeline
