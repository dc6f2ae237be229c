// Settings that exclude each other, when one source gives both.
#pragma once

#include <string>

#include "config/layer.h"

namespace attnroof {

/// How messages call a setting: axes.batch in a file, --batch on the command line.
enum class Naming { keys, options };

/// Throws UsageError, starting with `source` unless it is empty, when a layer gives tokens or
/// hidden beside batch, heads or kv_heads, or seq_len beside both q_len and kv_len.
void reject_conflicts(const ConfigLayer& layer, const std::string& source, Naming naming);

}  // namespace attnroof
