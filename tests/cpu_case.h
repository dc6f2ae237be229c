// A problem in host memory for the CPU kernel tests: inputs of several kinds, memory around each
// tensor full of NaN, every row compared with the fp64 reference.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/launch.h"
#include "kernels/problem.h"

namespace attnroof::test {

/// The inputs of tests/data/shapes.json.
enum class Inputs { normal, outliers, large_negative, one_hot };
inline constexpr std::array all_inputs{Inputs::normal, Inputs::outliers, Inputs::large_negative,
                                       Inputs::one_hot};
const char* name(Inputs inputs);

/// Elements of a tensor between two guards of NaN bytes.
class GuardedTensor {
  public:
    GuardedTensor(std::int64_t elements, DType dtype);

    void* data() { return memory_.data() + guard_bytes; }
    float at(std::int64_t index) const;
    void set(std::int64_t index, float value);
    /// Every byte between the guards NaN again.
    void poison();
    bool guards_intact() const;

  private:
    static constexpr std::size_t guard_bytes = 4096;
    std::vector<std::byte> memory_;
    DType dtype_;
};

struct HostCase {
    HostCase(const AttentionProblem& problem, Inputs inputs, std::uint64_t seed);

    /// Arguments for a launcher; O, LSE and workspace are poisoned first.
    LaunchArgs fresh_args();

    AttentionProblem problem;
    GuardedTensor q, k, v, o, lse, workspace;
};

/// Largest error / bound over all rows of O and LSE (infinite for a NaN), and where it is.
struct Worst {
    double ratio = 0;
    std::string where;
};

/// References of all rows, made once and shared by the kernels that are held to them.
class Reference {
  public:
    explicit Reference(const HostCase& c);
    Worst compare(const HostCase& c) const;

  private:
    struct Row {
        std::vector<double> o, bound;
        double lse = 0, lse_bound = 0;
    };
    std::vector<Row> rows_;
};

}  // namespace attnroof::test
