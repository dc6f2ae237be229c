#include "compare/settle.h"

#include <fmt/format.h>

namespace attnroof {

std::string settle_command(const CaseResult& result, DeviceKind device) {
    const AttentionProblem& p = result.plan.problem;
    const std::string lengths = p.q_len == p.kv_len
                                    ? fmt::format("-N {}", p.q_len)
                                    : fmt::format("--q-len {} --kv-len {}", p.q_len, p.kv_len);
    std::string file = "settle-" + result.plan.id + ".json";  // each case its own
    for (char& letter : file)
        if (letter == '/' || letter == ':') letter = '-';
    return fmt::format(
        "attnroof sweep --device {} --kernels {} --pass {} {} -d {} --dtype {} --mask {} --batch "
        "{} --heads {} "
        "--kv-heads {} --cache {} --max-seconds 2 -o {}",
        name(device), result.plan.asked.text(), name(p.pass), lengths, p.head_dim, name(p.dtype),
        name(p.mask), p.batch, p.heads, p.kv_heads, name(result.plan.cache), file);
}

}  // namespace attnroof
