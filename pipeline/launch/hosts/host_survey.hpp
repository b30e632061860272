#pragma once
/// Asks all hosts of a site about themselves, by one rank on each that is no run's.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/launch/hosts/host_facts.hpp"
#include "pipeline/launch/hosts/host_verdict.hpp"

namespace takt::pipeline {

struct SurveyOptions {
  Site site;
  HostQuestion question;
  /// After this, hosts that are silent are given up.
  std::chrono::seconds patience{30};
};

/// Words before a host's name and a command: those with which mpirun, or Slurm, reaches it.
[[nodiscard]] std::vector<std::string> words_to_reach();
/// A host that is silent for so long is gone. Longer than ssh's own; Slurm's nodes are up, or are not.
[[nodiscard]] Time patience_to_reach();

/// What is known of each host of the site (of this computer where it names none), in their order. Starts one
/// rank a host; takes half a second where all is well. Where a host is silent, it is tried by itself, so that
/// the reason is known. Throws WorkError when nothing can be started at all.
[[nodiscard]] std::vector<SurveyedHost> survey(const SurveyOptions& options);

/// The same of hosts some of which may be gone: of those that answer, whatever the others do. The others have
/// no facts, and say in `silence` why. Where one takes connections and nothing comes up there, this takes a
/// minute.
[[nodiscard]] std::vector<SurveyedHost> survey_what_answers(const SurveyOptions& options);

/// Those of a site with names that do not answer, or cannot be reached. Throws WorkError when nothing can be
/// started at all.
[[nodiscard]] std::vector<std::string> silent_hosts(const Site& site);

/// What every host must have to run the pipeline: its file, plug-ins and machine, the same everywhere, and
/// what its sources read.
[[nodiscard]] std::vector<WantedFile> files_wanted_by(const Pipeline& pipeline);

/// Where a run is to come up on other hosts: throws ConfigError with all that makes them unfit, a line each
/// with what to do, at the place of the list of hosts. Otherwise the warnings, a sentence each.
std::vector<std::string> check_hosts(const Pipeline& pipeline, std::vector<WantedFile> more_files);

}  // namespace takt::pipeline
