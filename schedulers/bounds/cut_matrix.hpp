#pragma once
/// What it costs to cut a graph, as a matrix.

#include <cstddef>
#include <vector>

#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// The tasks' work at speed 1, one tick at least, since no task may weigh nothing; and by how much that is
/// more than there is. With a table of times: their least times.
struct CutWorks {
  explicit CutWorks(const Workload& workload);

  std::vector<double> of;
  double sum = 0, added = 0;
};

/// The speeds of the machine, highest first; all 1 where times do not follow from them.
[[nodiscard]] std::vector<double> falling_speeds(const Workload& workload);

/// The Laplacian matrix of a graph whose edges weigh `per_byte` times their size, relative to the tasks'
/// work: D^-1/2 L D^-1/2.
///
/// Edges that share a datum share its cost: at either end of a cut, the part of them that is cut costs no
/// more than the datum.
class CutMatrix {
 public:
  CutMatrix(const TaskGraph& graph, const CutWorks& works, double per_byte);

  [[nodiscard]] std::size_t size() const { return diagonal_.size(); }
  [[nodiscard]] const std::vector<double>& diagonal() const { return diagonal_; }
  /// All elements, row by row, with `shift` on the diagonal.
  [[nodiscard]] std::vector<double> dense(const std::vector<double>& shift) const;
  /// to = (matrix + diag(shift)) from.
  void multiply(const std::vector<double>& shift, const double* from, double* to) const;
  /// No eigenvalue of the matrix with `shift` on its diagonal is above (Gershgorin).
  [[nodiscard]] double top(const std::vector<double>& shift) const;

 private:
  struct Element {
    std::size_t a, b;
    double value;
  };

  std::vector<double> diagonal_;
  /// Above the diagonal.
  std::vector<Element> elements_;
};

}  // namespace takt::schedulers
