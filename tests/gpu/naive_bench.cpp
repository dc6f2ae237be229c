// How close each step of the naive kernel comes to its roof, for every way in which it could go
// about its work: a table for the one who tunes it, in half a minute. Needs a Hopper GPU.
//   attnroof_naive_bench [SAMPLES]
// bf16, full mask, 16k tokens, hidden size 2048. A figure is modelled bytes over the median time,
// as a share of the probe that moves bytes as the step does, measured in the same process; `!`
// marks results that are not bit by bit those of the step's first candidate, and ends in 1. Step 1
// reads Q and K beside what it stores, which costs HBM more than their bytes: the last line holds
// it to the best that moves the same bytes and does nothing else.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <thread>

#include "backend/cuda/open.h"
#include "gpu/gpu_reference.h"
#include "gpu/naive_candidates.h"
#include "kernels/cuda/check.h"
#include "kernels/cuda/launchers.h"
#include "kernels/registry.h"

namespace {

using namespace attnroof;
using testing::Candidate;
using testing::Part;

constexpr std::int64_t lengths[] = {2048, 4096, 8192, 16384};

class DeviceBytes {
  public:
    explicit DeviceBytes(std::int64_t bytes) {
        void* data = nullptr;
        ATTNROOF_CUDA_CHECK(cudaMalloc(&data, static_cast<std::size_t>(bytes)));
        data_.reset(data);
    }
    void* get() const { return data_.get(); }

  private:
    struct Free {
        void operator()(void* data) const { cudaFree(data); }
    };
    std::unique_ptr<void, Free> data_;
};

struct Tensors {
    explicit Tensors(const AttentionProblem& p)
        : q(q_bytes(p)),
          k(kv_bytes(p)),
          v(kv_bytes(p)),
          o(q_bytes(p)),
          lse(lse_bytes(p)),
          score_bytes(p.lse_elements() * cuda::score_pitch(p) * bytes_of(p.dtype)),
          scores(score_bytes),
          args{p,           q.get(), k.get(), v.get(), o.get(), static_cast<float*>(lse.get()),
               scores.get()} {
        testing::fill_inputs(args, testing::Inputs::normal, 1);
    }
    DeviceBytes q, k, v, o, lse;
    std::int64_t score_bytes;
    DeviceBytes scores;
    LaunchArgs args;
};

/// Median over `samples` launches, behind a rest, so that no candidate runs under a clock that
/// another pulled down, and a launch that is not counted. What the launch before held in L2 is let
/// go; the rest of what it left is small beside what a launch moves.
double median_s(const Candidate& candidate, const LaunchArgs& args, int samples) {
    cudaEvent_t start = nullptr, stop = nullptr;
    ATTNROOF_CUDA_CHECK(cudaEventCreate(&start));
    ATTNROOF_CUDA_CHECK(cudaEventCreate(&stop));
    std::vector<float> times;
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    for (int i = 0; i <= samples; ++i) {
        ATTNROOF_CUDA_CHECK(cudaCtxResetPersistingL2Cache());
        ATTNROOF_CUDA_CHECK(cudaEventRecord(start));
        candidate.launch(args);
        ATTNROOF_CUDA_CHECK(cudaEventRecord(stop));
        ATTNROOF_CUDA_CHECK(cudaEventSynchronize(stop));
        float milliseconds = 0;
        ATTNROOF_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
        if (i > 0) times.push_back(milliseconds);
    }
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    std::nth_element(times.begin(), times.begin() + samples / 2, times.end());
    return 1e-3 * times[samples / 2];
}

struct Step {
    std::string name, ceiling;
    Traffic (*traffic)(const AttentionProblem&, std::int64_t);
    std::vector<Candidate> candidates;
};

/// The steps of naive:sm90 in order; step `i` of naive:sm80 is the last candidate.
std::vector<Step> steps() {
    const auto row = [](const char* variant) {
        const auto& rows = kernel_registry();
        return *std::find_if(rows.begin(), rows.end(), [&](const KernelRow& r) {
            return r.name == "naive" && r.variant == variant;
        });
    };
    const KernelRow sm80 = row("sm80"), sm90 = row("sm90");
    std::vector<Step> found{
        {"scores", "hbm.write", sm90.steps[0].traffic, testing::scores_candidates()},
        {"softmax", "hbm.copy", sm90.steps[1].traffic, {}},
        {"output", "hbm.read", sm90.steps[2].traffic, testing::output_candidates()}};
    for (std::size_t i = 0; i < found.size(); ++i)
        found[i].candidates.push_back({"sm80", sm80.steps[i].launch});
    return found;
}

/// What step `step` leaves when `candidate` does it behind the steps before, bit by bit: S or P and
/// O of a few shapes with ragged ends.
std::vector<std::byte> ragged_results(const std::vector<Step>& all, std::size_t step,
                                      const Candidate& candidate, std::int64_t head_dim) {
    std::vector<std::byte> results;
    const auto keep = [&](const DeviceBytes& from, std::int64_t bytes) {
        const std::size_t before = results.size();
        results.resize(before + static_cast<std::size_t>(bytes));
        ATTNROOF_CUDA_CHECK(
            cudaMemcpy(results.data() + before, from.get(), bytes, cudaMemcpyDefault));
    };
    for (const auto& [q_len, kv_len] :
         {std::pair<std::int64_t, std::int64_t>{333, 1003}, {65, 255}, {2500, 520}, {1, 9}}) {
        AttentionProblem p{.batch = 2, .heads = 4, .kv_heads = 2};
        p.q_len = q_len, p.kv_len = kv_len, p.head_dim = head_dim;
        const Tensors tensors(p);
        ATTNROOF_CUDA_CHECK(cudaMemset(tensors.scores.get(), 0xff, tensors.score_bytes));
        ATTNROOF_CUDA_CHECK(cudaMemset(tensors.o.get(), 0xff, q_bytes(p)));
        for (std::size_t i = 0; i < step; ++i) all[i].candidates.front().launch(tensors.args);
        candidate.launch(tensors.args);
        keep(tensors.scores, tensors.score_bytes);
        keep(tensors.o, q_bytes(p));
    }
    return results;
}

/// A candidate's shares of its roof, one a length.
struct Row {
    const Step* step;
    const Candidate* candidate;
    std::vector<double> shares;
};

struct Shares {
    std::vector<Row> rows;      // the steps' candidates in order
    std::vector<double> whole;  // of the copy ceiling, by the kernel's own choice of each step
};

Shares measure_shares(std::int64_t head_dim, const std::vector<Step>& all,
                      const std::map<std::string, double>& roofs, int samples) {
    Shares found;
    for (const Step& step : all)
        for (const Candidate& candidate : step.candidates)
            found.rows.push_back({&step, &candidate, {}});
    // The softmax makes P of S in place, and then P of P: the same bytes, and finite.
    for (const std::int64_t length : lengths) {
        AttentionProblem p{.batch = 16384 / length, .heads = 2048 / head_dim};
        p.kv_heads = p.heads, p.q_len = p.kv_len = length, p.head_dim = head_dim;
        const Tensors tensors(p);
        double whole_s = 0, whole_bytes = 0;
        for (Row& row : found.rows) {
            const Traffic traffic = row.step->traffic(p, 0);
            const bool reads = row.candidate->part != Part::stores;
            const auto bytes = static_cast<double>(reads ? traffic.total() : traffic.write_bytes);
            const double time = median_s(*row.candidate, tensors.args, samples);
            if (row.candidate == &row.step->candidates.front())
                whole_s += time, whole_bytes += bytes;
            row.shares.push_back(bytes / time / roofs.at(row.step->ceiling));
        }
        found.whole.push_back(whole_bytes / whole_s / roofs.at("hbm.copy"));
    }
    return found;
}

void print_row(std::int64_t head_dim, const std::string& step, const std::string& name,
               const std::vector<double>& shares, const char* mark = "") {
    fmt::print("{:4} {:8} {:24}", head_dim, step, name);
    for (const double share : shares) fmt::print("{:6.3f}", share);
    fmt::print("{}\n", mark);
}

/// Of the best that moves the same bytes and does nothing else, what `all`'s first reaches.
std::vector<double> of_bytes_alone(const Shares& all) {
    std::vector<double> shares = all.rows.front().shares;
    for (std::size_t n = 0; n < shares.size(); ++n) {
        double best = 0;
        for (const Row& row : all.rows)
            if (row.candidate->part == Part::bytes) best = std::max(best, row.shares[n]);
        shares[n] /= best;
    }
    return shares;
}

struct Verdict {
    double least_of_bytes_alone = 1;  // what the scores reach
    bool all_same = true;             // no candidate's results differ from the first's
};

/// Prints all shares.
Verdict print_shares(std::int64_t head_dim, const std::vector<Step>& all,
                     const std::map<std::string, double>& roofs, int samples) {
    const Shares found = measure_shares(head_dim, all, roofs, samples);
    Verdict verdict;
    std::vector<std::byte> first;  // results of the step's first candidate, which is whole
    for (const Row& row : found.rows) {
        const Candidate& candidate = *row.candidate;
        const auto place = static_cast<std::size_t>(row.step - all.data());
        if (&candidate == &row.step->candidates.front())
            first = ragged_results(all, place, candidate, head_dim);
        // Other instructions, other rounding: sm80 is held to fp64 by the tests alone.
        const bool same = candidate.part != Part::whole || candidate.name == "sm80" ||
                          ragged_results(all, place, candidate, head_dim) == first;
        print_row(head_dim, row.step->name, candidate.name, row.shares, same ? "" : " !");
        verdict.all_same = verdict.all_same && same;
    }
    print_row(head_dim, "whole", "of copy", found.whole);
    const std::vector<double> scores = of_bytes_alone(found);
    print_row(head_dim, "scores", "of the best bytes alone", scores);
    verdict.least_of_bytes_alone = *std::min_element(scores.begin(), scores.end());
    return verdict;
}

}  // namespace

int main(int argc, char** argv) try {
    const int samples = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
    const auto backend = open_cuda_backend(0);
    if (backend->facts().compute_capability / 10 != 9) {
        fmt::print("skipped: needs compute capability 9.x\n");
        return 77;
    }
    std::map<std::string, double> roofs;
    const auto start = std::chrono::steady_clock::now();
    for (const Ceiling& ceiling : backend->measure_ceilings())
        if (ceiling.mode == CeilingMode::burst) roofs[ceiling.id] = ceiling.value;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    fmt::print("ceilings in {:.2f} s; TB/s: write {:.2f}, copy {:.2f}, read {:.2f}\n",
               spent.count(), roofs.at("hbm.write") / 1e12, roofs.at("hbm.copy") / 1e12,
               roofs.at("hbm.read") / 1e12);
    fmt::print("{:4} {:8} {:24}{:6}{:6}{:6}{:6}\n", "d", "step", "candidate", lengths[0],
               lengths[1], lengths[2], lengths[3]);
    const std::vector<Step> all = steps();
    double least = 1;
    bool all_same = true;
    for (const std::int64_t head_dim : {64, 128}) {
        const Verdict verdict = print_shares(head_dim, all, roofs, samples);
        least = std::min(least, verdict.least_of_bytes_alone);
        all_same = all_same && verdict.all_same;
    }
    fmt::print("naive_scores_fraction_of_bytes_alone_min {:.4f}\n", least);
    return all_same ? 0 : 1;
} catch (const std::exception& error) {
    fmt::print(stderr, "attnroof_naive_bench: {}\n", error.what());
    return 1;
}
