#include "backend/counters.h"

#include <algorithm>

namespace attnroof {

const std::vector<CounterInfo>& counter_table() {
    constexpr CounterGroup traffic = CounterGroup::traffic, operations = CounterGroup::operations,
                           instructions = CounterGroup::instructions;
    static const std::vector<CounterInfo> rows{
        {Counter::hbm_read_bytes, "hbm_read_bytes", "byte", 0, traffic},
        {Counter::hbm_write_bytes, "hbm_write_bytes", "byte", 0, traffic},
        {Counter::l2_bytes, "l2_bytes", "byte", 0, traffic},
        {Counter::l1_bytes, "l1_bytes", "byte", 0, traffic},
        {Counter::tensor_bf16_flops, "tensor_bf16_flops", "FLOP", 1, traffic},
        {Counter::tensor_fp16_flops, "tensor_fp16_flops", "FLOP", 1, operations},
        {Counter::ffma, "ffma", "instruction", 2, instructions},
        {Counter::fadd, "fadd", "instruction", 1, instructions},
        {Counter::fmul, "fmul", "instruction", 1, instructions},
        {Counter::hfma, "hfma", "instruction", 4, instructions},
        {Counter::hadd, "hadd", "instruction", 2, instructions},
        {Counter::hmul, "hmul", "instruction", 2, instructions},
        // An exponential is one instruction of the special-function pipe and no FLOP.
        {Counter::xu_threads, "xu_threads", "instruction", 0, operations},
    };
    return rows;
}

const CounterInfo& info_of(Counter counter) {
    const std::vector<CounterInfo>& rows = counter_table();
    return *std::find_if(rows.begin(), rows.end(),
                         [&](const CounterInfo& info) { return info.counter == counter; });
}

}  // namespace attnroof
