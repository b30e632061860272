#pragma once
/// Surveys all hosts of a site with one temporary rank on each.

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
  /// Time after which silent hosts are given up.
  std::chrono::seconds patience{30};
};

/// Returns the words before a host's name and a command with which mpirun, or Slurm, reaches it.
[[nodiscard]] std::vector<std::string> words_to_reach();
/// Returns the time after which a silent host counts as down: longer than ssh's; short for Slurm's nodes.
[[nodiscard]] Time patience_to_reach();

/// Returns the facts about each host of the site (this computer if it names none), in their order. Starts one
/// rank on each host; takes half a second without faults. Tries silent hosts separately to find the reason.
/// Throws WorkError when nothing can be started.
[[nodiscard]] std::vector<SurveyedHost> survey(const SurveyOptions& options);

/// Surveys hosts of which some may be down. Those without an answer have no facts, and
/// the reason in `silence`. Takes a minute if a host accepts connections but starts
/// nothing.
[[nodiscard]] std::vector<SurveyedHost> survey_what_answers(const SurveyOptions& options);

/// Returns the hosts of a site with names that do not answer or cannot be reached. Throws WorkError when
/// nothing can be started.
[[nodiscard]] std::vector<std::string> silent_hosts(const Site& site);

/// Returns the files that every host needs for the pipeline: its file, plug-ins and machine, which must be
/// identical, and the inputs of its sources.
[[nodiscard]] std::vector<WantedFile> files_used_by(const Pipeline& pipeline);

/// Checks the remote hosts of a run. Throws ConfigError at the place of the list of hosts with all faults,
/// one line each with a remedy. Otherwise returns the warnings, one sentence each.
std::vector<std::string> check_hosts(const Pipeline& pipeline, std::vector<WantedFile> more_files);

}  // namespace takt::pipeline
