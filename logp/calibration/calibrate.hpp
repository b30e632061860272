#pragma once
/// Measures the LogP costs of the machine of a communicator's ranks.

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <mpi.h>

#include "core/units.hpp"
#include "logp/calibration/endpoint.hpp"
#include "logp/calibration/hold_out.hpp"
#include "logp/calibration/link_fit.hpp"
#include "logp/calibration/topology.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

struct CalibrationProgress {
  /// The current step: `node (L3): measuring`.
  std::string phase;
  /// Share of the whole calibration, as far as it is known.
  double share = 0;
};

struct CalibrationOptions {
  /// Messages from 1 byte to this size.
  Bytes largest{16 << 20};
  /// Duration of measurements and trials; up to three times as long if costs or trials are uncertain.
  Time duration{std::chrono::seconds{30}};
  /// A trial fails if the prediction deviates by more than this, relative to the measurement.
  double tolerance = 0.25;
  Data data = Data::fresh;
  /// Bind each rank to a core of its own if it may use several.
  bool bind = true;
  /// Measure with real-time priority if the system grants it, at most half of the time, and only for messages
  /// in shared memory.
  bool real_time = true;
  std::uint64_t seed = 1;
  std::function<void(const CalibrationProgress&)> on_progress;
};

/// Measurements, fit and trials of one kind of link.
struct LinkCalibration {
  LinkKind kind;
  LinkObservations observations;
  LinkFit fit;
  std::vector<Trial> trials;
};

/// Properties of MPI that the costs depend on.
struct MpiFacts {
  /// `Open MPI v4.1.4, MPI 3.1`.
  std::string version;
  /// `single`, `funneled`, `serialized` or `multiple`.
  std::string thread_level;
  /// Waiting mode of a rank: `spins`, `yields`, or `unknown`.
  std::string progress;
  /// Settings from the environment, such as `OMPI_MCA_btl=tcp,self`, sorted.
  std::vector<std::string> settings;
};

struct Calibration {
  std::chrono::system_clock::time_point date;
  std::vector<RankLocation> ranks;
  Platform platform;
  MpiFacts mpi;
  Data data = Data::fresh;
  /// Whether the ranks had real-time priority during the measurements.
  bool real_time = false;
  double tolerance = 0;
  Time duration{0};
  std::vector<LinkCalibration> links;

  /// Returns whether every link has measurements; without them, messages would seem to be free.
  [[nodiscard]] bool has_costs() const;
  /// Returns the reasons not to use it, a sentence each.
  [[nodiscard]] std::vector<std::string> objections() const;
  /// Returns the costs of each level: those of the level's slowest kind of link.
  [[nodiscard]] std::array<LinkCosts, level_count> costs(ProfileFit LinkFit::*profile) const;
  /// Returns the costs of pairs of ranks on hosts whose links differ from their level's.
  [[nodiscard]] std::vector<PairCosts> pair_costs(ProfileFit LinkFit::*profile) const;
};

/// Collective. Rank 0 receives the result, other ranks nothing. Throws ConfigError, on all ranks, when there
/// is only one rank.
[[nodiscard]] std::optional<Calibration> calibrate(MPI_Comm communicator, const CalibrationOptions& options);

}  // namespace takt::logp
