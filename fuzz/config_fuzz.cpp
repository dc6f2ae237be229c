// Any text as a config: refused with a UsageError or understood, never anything else.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "config/parse.h"
#include "errors.h"
#include "plan/problems.h"

using namespace attnroof;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        SweepRequest request;
        request.file = parse_config(text, "fuzz.json");
        for (DeviceKind device : {DeviceKind::cuda, DeviceKind::cpu})
            list_problems(resolve(request, device));
    } catch (const UsageError&) {
    }
    return 0;
}
