#include "backend/cuda/calibrations.h"

#include <algorithm>
#include <memory>

#include "kernels/cuda/calibration/calibration.h"
#include "kernels/cuda/ceilings/probes.h"

namespace attnroof::cuda {
namespace {

// More than the L2 that a read goes through cold, less than what would cost time.
constexpr std::int64_t stream_bytes = std::int64_t{64} << 20;

struct Memory {
    Buffer from, to, sink;
};

class Calibrations {
  public:
    explicit Calibrations(Backend& backend) : backend_(backend) {}

    std::vector<Calibration> make();

  private:
    using Launch = std::function<void(const Memory&, cudaStream_t)>;

    void add(const std::string& name, std::map<Counter, double> expected, Launch launch,
             bool drained = false);
    void add_memory();
    void add_operations();
    void add_tensor();
    void free_after_last(CounterGroup group);

    int blocks() const { return static_cast<int>(backend_.facts().sm_count); }

    Backend& backend_;
    std::shared_ptr<std::unique_ptr<Memory>> memory_ = std::make_shared<std::unique_ptr<Memory>>();
    std::vector<Calibration> all_;
};

void Calibrations::add(const std::string& name, std::map<Counter, double> expected, Launch launch,
                       bool drained) {
    std::set<CounterGroup> groups;
    for (const auto& [counter, count] : expected) groups.insert(info_of(counter).group);
    const bool cold = groups.contains(CounterGroup::traffic);
    const auto prepare = [&backend = backend_, memory = memory_, cold] {
        if (!*memory)
            *memory = std::make_unique<Memory>(Memory{backend.allocate(stream_bytes),
                                                      backend.allocate(stream_bytes),
                                                      backend.allocate(sizeof(float))});
        if (cold) backend.displace_cache();
    };
    const auto body = [&backend = backend_, memory = memory_, launch = std::move(launch), drained] {
        backend.run([&](void* stream) { launch(**memory, static_cast<cudaStream_t>(stream)); });
        if (drained) backend.displace_cache();
    };
    all_.push_back(
        {{"selftest " + name, prepare, body, std::move(groups)}, name, std::move(expected)});
}

/// What a kernel writes stays in the cache until the drain drives it out, so writes are known of a
/// drained range only, reads of a bare one.
void Calibrations::add_memory() {
    const auto bytes = static_cast<double>(stream_bytes);
    const ProbeShape shape{8 * blocks(), 256};
    const auto write = [shape](const Memory& m, cudaStream_t stream) {
        probe_write(m.to.data(), stream_bytes, shape, stream);
    };
    const auto copy = [](const Memory& m, cudaStream_t stream) {
        probe_copy(m.to.data(), m.from.data(), stream_bytes, 512, stream);
    };
    add("read",
        {{Counter::hbm_read_bytes, bytes},
         {Counter::hbm_write_bytes, 0},
         {Counter::l2_bytes, bytes}},
        [shape](const Memory& m, cudaStream_t stream) {
            probe_read(m.from.data(), stream_bytes, 1, static_cast<float*>(m.sink.data()), shape,
                       stream);
        });
    constexpr int iterations = 256;  // the one write of each thread is lost among its reads
    add("shared read", {{Counter::l1_bytes, shared_read_bytes(iterations, shape)}},
        [shape](const Memory& m, cudaStream_t stream) {
            probe_shared_read(iterations, static_cast<float*>(m.sink.data()), shape, stream);
        });
    add("write, drained", {{Counter::hbm_write_bytes, bytes}}, write, true);
    add("copy", {{Counter::hbm_read_bytes, bytes}}, copy);
    add("copy, drained", {{Counter::hbm_write_bytes, bytes}}, copy, true);
}

void Calibrations::add_operations() {
    const std::pair<Operation, Counter> operations[]{{Operation::ffma, Counter::ffma},
                                                     {Operation::fadd, Counter::fadd},
                                                     {Operation::fmul, Counter::fmul},
                                                     {Operation::hfma, Counter::hfma},
                                                     {Operation::ex2, Counter::xu_threads}};
    for (const auto& [operation, counted] : operations) {
        std::map<Counter, double> expected;
        // A compiler also loads constants with a half instruction: hfma is held to its own kernel.
        for (Counter fp32 : {Counter::ffma, Counter::fadd, Counter::fmul}) expected[fp32] = 0;
        expected[counted] = calibration_instructions(blocks());
        const char* name = operation == Operation::ex2 ? "ex2" : nullptr;
        for (const CounterInfo& info : counter_table())
            if (!name && info.counter == counted) name = info.name;
        add(name, std::move(expected),
            [operation = operation, blocks = blocks()](const Memory& m, cudaStream_t stream) {
                calibrate_operation(operation, blocks, static_cast<float*>(m.sink.data()), stream);
            });
    }
}

void Calibrations::add_tensor() {
    const auto add_path = [&](const std::string& path, double flops,
                              void (*launch)(DType, int, float*, cudaStream_t)) {
        for (DType dtype : {DType::bf16, DType::fp16}) {
            const bool bf16 = dtype == DType::bf16;
            add(path + " " + name(dtype),
                {{Counter::tensor_bf16_flops, bf16 ? flops : 0},
                 {Counter::tensor_fp16_flops, bf16 ? 0 : flops}},
                [=, blocks = blocks()](const Memory& m, cudaStream_t stream) {
                    launch(dtype, blocks, static_cast<float*>(m.sink.data()), stream);
                });
        }
    };
    add_path("mma", calibration_mma_flops(blocks()), calibrate_mma);
    if (backend_.facts().compute_capability == 90)
        add_path("wgmma", calibration_wgmma_flops(blocks()), calibrate_wgmma);
}

/// The memory is the cases' again after the group's last job: behind its range, since the driver
/// writes where it frees.
void Calibrations::free_after_last(CounterGroup group) {
    const auto last = std::find_if(all_.rbegin(), all_.rend(), [&](const Calibration& one) {
        return one.job.groups.contains(group);
    });
    last->job.after = [memory = memory_] { memory->reset(); };
}

std::vector<Calibration> Calibrations::make() {
    add_memory();
    add_operations();
    add_tensor();
    for (CounterGroup group : counter_groups) free_after_last(group);
    return std::move(all_);
}

}  // namespace

std::vector<Calibration> make_calibrations(Backend& backend) {
    return Calibrations(backend).make();
}

}  // namespace attnroof::cuda
