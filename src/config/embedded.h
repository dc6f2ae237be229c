// The shipped configs, compiled in from configs/*.json: `--config NAME` works without a file.
#pragma once

#include <string>
#include <vector>

namespace attnroof {

struct EmbeddedConfig {
    std::string name;  // "default" for configs/default.json
    std::string text;
};

const std::vector<EmbeddedConfig>& embedded_configs();

/// devices/*.json, for `predict --device-spec NAME`.
const std::vector<EmbeddedConfig>& embedded_devices();

}  // namespace attnroof
