#include "pipeline/config/files.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <unistd.h>

#include "pipeline/config/stage_reader.hpp"
#include "sensors/files/input_names.hpp"
#include "sensors/files/output_file.hpp"

namespace takt::pipeline {

namespace fs = std::filesystem;

namespace {

bool is_input(const ParameterSpec& spec) {
  return is_input(spec.type);
}

/// Adds the files that match a recording's pattern, or the pattern itself if no file matches or the directory
/// cannot be read.
void add_matches(const std::string& name, std::vector<std::string>& files) {
  std::vector<fs::path> found;
  try {
    found = sensors::matching_files(name);
  } catch (const ConfigError&) {
    // The source reports the reason.
  }
  if (found.empty()) files.push_back(name);
  for (const fs::path& file : found) files.push_back(file.string());
}

std::vector<std::string> files_of(const Parameters& parameters, const ParameterSpec& spec) {
  std::vector<std::string> files;
  if (spec.type == ParameterType::input_files)
    files = parameters.texts(spec.name);
  else if (spec.type == ParameterType::recordings)
    for (const std::string& name : parameters.texts(spec.name)) add_matches(name, files);
  else if (is_input(spec) || spec.type == ParameterType::output_file)
    files = {parameters.text(spec.name)};
  // An optional file.
  std::erase(files, "");
  return files;
}

/// Ranks have no terminal of their own: their output passes through mpirun and the launcher.
bool is_descriptor(const fs::path& path) {
  const std::string text = path.lexically_normal();
  return text == "/dev/stdout" || text == "/dev/stderr" || text.starts_with("/dev/fd/") ||
         text.starts_with("/proc/self/fd/");
}

/// Returns why the file cannot be read; empty if it can.
std::string fault_of_input(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return "it is a folder: expected a file";
  if (sensors::is_pattern_of_files(path.string()) && !fs::exists(path, ignored)) return "no file matches it";
  return ::access(path.c_str(), R_OK) == 0 ? "" : std::strerror(errno);
}

/// Returns why the file cannot be written; empty if it can.
std::string fault_of_output(const fs::path& path, sensors::OldFile old) {
  std::error_code ignored;
  if (is_descriptor(path)) return "ranks have no terminal: expected a file or a named pipe";
  if (fs::is_directory(path, ignored)) return "it is a folder: expected a file";
  if (::access(path.c_str(), F_OK) == 0)
    return ::access(path.c_str(), W_OK) == 0 ? sensors::claim_on(path, old) : std::strerror(errno);
  const int why = errno;
  // Writing to a dangling link creates its target, so the target's directory counts.
  if (fs::is_symlink(path, ignored)) {
    if (why == ELOOP) return std::strerror(why);
    const fs::path target = fs::read_symlink(path, ignored);
    const std::string fault =
        fault_of_output(target.is_absolute() ? target : path.parent_path() / target, old);
    return fault.empty() ? "" : fmt::format("it is a link to '{}': {}", target.string(), fault);
  }
  const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (!fs::is_directory(folder, ignored)) return fmt::format("no folder '{}'", folder.string());
  return ::access(folder.c_str(), W_OK | X_OK) == 0 ? "" : std::strerror(errno);
}

/// Returns how a stage treats a file of an earlier run.
sensors::OldFile old_files_of(const Pipeline& pipeline, const Stage& stage) {
  const bool is_kept =
      !pipeline.overwrites && stage.parameters.has("overwrite") && !stage.parameters.boolean("overwrite");
  return is_kept ? sensors::OldFile::keep : sensors::OldFile::replace;
}

}  // namespace

bool are_same_file(const fs::path& a, const fs::path& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code ignored;
  // A file that does not exist needs an absolute name, so that its directory can be resolved.
  const auto full = [&](const fs::path& path) { return fs::weakly_canonical(fs::absolute(path), ignored); };
  return fs::equivalent(a, b, ignored) || full(a) == full(b);
}

std::vector<StageFile> stage_files(const Pipeline& pipeline) {
  std::vector<StageFile> files;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const Stage& stage = pipeline.stages[i];
    for (const ParameterSpec& spec : specification_of(stage.kind, stage.type, pipeline.kernels))
      for (const std::string& path : files_of(stage.parameters, spec))
        files.push_back({i, path, !is_input(spec), stage.parameters.where(spec.name)});
    if (stage.kind != StageKind::sink) continue;
    for (const std::string& path : pipeline.kernels.find_sink(stage.type)->companions(stage.parameters))
      files.push_back({i, path, true, stage.parameters.where("path")});
  }
  return files;
}

void check_overwriting(const std::vector<Draft>& drafts, const KernelRegistry& kernels,
                       const std::vector<OtherFile>& others, ErrorList& errors) {
  std::vector<OtherFile> taken = others;
  const auto for_each_file = [&](auto use) {
    for (const Draft& draft : drafts) {
      if (!draft.parameters) continue;
      for (const ParameterSpec& spec : specification_of(draft.kind, draft.type, kernels))
        for (const std::string& file : files_of(*draft.parameters, spec)) use(draft, spec, file);
    }
  };
  for_each_file([&](const Draft& draft, const ParameterSpec& spec, const std::string& file) {
    if (is_input(spec)) taken.push_back({file, draft.title() + " reads it"});
  });
  for_each_file([&](const Draft& draft, const ParameterSpec& spec, const std::string& file) {
    if (is_input(spec)) return;
    for (const OtherFile& other : taken)
      if (are_same_file(file, other.path)) {
        errors.add(draft.parameters->where(spec.name),
                   fmt::format("{}: cannot write the file '{}': {}", draft.title(), file, other.role));
        break;
      }
    taken.push_back({file, draft.title() + " writes it already"});
  });
}

namespace {

/// Checks the files that sinks write in addition to their own.
void check_companions(const Pipeline& pipeline, ErrorList& errors) {
  for (const Stage& stage : pipeline.stages) {
    if (stage.kind != StageKind::sink) continue;
    for (const std::string& path : pipeline.kernels.find_sink(stage.type)->companions(stage.parameters))
      if (const std::string fault = fault_of_output(path, old_files_of(pipeline, stage)); !fault.empty())
        errors.add(stage.parameters.where("path"),
                   fmt::format("sink '{}': cannot write the file '{}': {}", stage.name, path, fault));
  }
}

}  // namespace

std::vector<ReadFile> files_read_by(const Pipeline& pipeline) {
  std::vector<ReadFile> files{{pipeline.file, true}};
  for (const fs::path& plugin : pipeline.plugins) files.push_back({plugin, true});
  const std::string& machine = pipeline.deployment.machine;
  if (!machine.empty() && machine.find(':') == std::string::npos) files.push_back({machine, true});
  for (const Stage& stage : pipeline.stages)
    for (const ParameterSpec& spec : specification_of(stage.kind, stage.type, pipeline.kernels))
      if (is_input(spec))
        for (const std::string& path : files_of(stage.parameters, spec)) files.push_back({path});
  return files;
}

void check_files(const Pipeline& pipeline, const std::vector<OptionFile>& options, ErrorList& errors) {
  const auto role = [](const OptionFile& file) {
    return fmt::format("{} {} it", file.option, file.is_written ? "writes" : "reads");
  };
  for (const OptionFile& file : options) {
    if (!file.is_written) continue;
    std::string fault;
    if (are_same_file(file.path, pipeline.file)) fault = "it is the pipeline file";
    for (const OptionFile& other : options)
      if (&other != &file && are_same_file(file.path, other.path)) fault = role(other);
    if (!fault.empty())
      errors.add({}, fmt::format("{} {}: cannot write the file: {}", file.option, file.path.string(), fault));
  }
  for (const Stage& stage : pipeline.stages)
    for (const ParameterSpec& spec : specification_of(stage.kind, stage.type, pipeline.kernels)) {
      const bool is_output = spec.type == ParameterType::output_file;
      for (const std::string& path : files_of(stage.parameters, spec)) {
        std::string fault =
            is_output ? fault_of_output(path, old_files_of(pipeline, stage)) : fault_of_input(path);
        for (const OptionFile& file : options)
          if ((is_output || file.is_written) && are_same_file(path, file.path)) fault = role(file);
        if (fault.empty()) continue;
        errors.add(stage.parameters.where(spec.name),
                   fmt::format("{} '{}': cannot {} the file '{}': {}", section_of(stage.kind).noun,
                               stage.name, is_output ? "write" : "read", path, fault));
      }
    }
  check_companions(pipeline, errors);
}

}  // namespace takt::pipeline
