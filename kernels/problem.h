// The vocabulary of one attention problem. Plain host C++: included by every stage and every
// kernel.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace attnroof {

enum class Pass { forward, backward };
enum class DType { fp32, fp16, bf16 };
enum class Mask { full, causal };
enum class DeviceKind { cpu, cuda };

inline constexpr std::array pass_names{"forward", "backward"};
inline constexpr std::array dtype_names{"fp32", "fp16", "bf16"};
inline constexpr std::array mask_names{"full", "causal"};
inline constexpr std::array device_kind_names{"cpu", "cuda"};

inline const char* name(Pass value) { return pass_names[static_cast<std::size_t>(value)]; }
inline const char* name(DType value) { return dtype_names[static_cast<std::size_t>(value)]; }
inline const char* name(Mask value) { return mask_names[static_cast<std::size_t>(value)]; }
inline const char* name(DeviceKind v) { return device_kind_names[static_cast<std::size_t>(v)]; }

/// Bytes of one stored element.
inline std::int64_t bytes_of(DType dtype) { return dtype == DType::fp32 ? 4 : 2; }

/// O = softmax(scale * Q K^T + mask) V for `batch` x `heads` independent heads.
///
/// Tensors are contiguous, innermost dimension last:
///   Q, O  [batch][heads][q_len][head_dim]        in `dtype`
///   K, V  [batch][kv_heads][kv_len][head_dim]    in `dtype`
///   LSE   [batch][heads][q_len]                  in fp32, natural log of the row's sum of exp
/// Query head h reads key/value head h / (heads / kv_heads).
/// The causal mask is aligned bottom-right: row i sees keys j <= i + kv_len - q_len.
/// A row that sees no key has O = 0 and LSE = -inf.
struct AttentionProblem {
    Pass pass = Pass::forward;
    DType dtype = DType::bf16;
    Mask mask = Mask::full;
    std::int64_t batch = 1;
    std::int64_t heads = 1;
    std::int64_t kv_heads = 1;
    std::int64_t q_len = 0;
    std::int64_t kv_len = 0;
    std::int64_t head_dim = 0;

    bool operator==(const AttentionProblem&) const = default;

    std::int64_t q_elements() const { return batch * heads * q_len * head_dim; }
    std::int64_t kv_elements() const { return batch * kv_heads * kv_len * head_dim; }
    std::int64_t lse_elements() const { return batch * heads * q_len; }
    std::int64_t score_elements() const { return batch * heads * q_len * kv_len; }

    /// Softmax scale; always from the true head_dim, never from a padded one.
    double scale() const { return 1.0 / std::sqrt(static_cast<double>(head_dim)); }

    /// Number of keys that query row `row` sees.
    std::int64_t visible_keys(std::int64_t row) const {
        if (mask == Mask::full) return kv_len;
        const std::int64_t keys = row + 1 + kv_len - q_len;
        return keys < 0 ? 0 : (keys > kv_len ? kv_len : keys);
    }

    /// Exact number of visible (query, key) pairs of one head, not half of the square.
    std::int64_t visible_pairs() const {
        if (mask == Mask::full) return q_len * kv_len;
        // Rows that see at least one key see 1 + first, ..., kv_len keys: an arithmetic series.
        const std::int64_t rows = q_len < kv_len ? q_len : kv_len;
        return rows * (2 * kv_len - rows + 1) / 2;
    }
};

/// "forward/bf16/full/b1/h16/kv16/q4096/k4096/d128": the part of a case id that names the problem.
std::string describe(const AttentionProblem& problem);

}  // namespace attnroof
