// Any text as a report: refused with a UsageError, or read, written in every format and, as JSON,
// read again as the same report.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "errors.h"
#include "report/formats.h"
#include "report/read.h"

using namespace attnroof;

namespace {

Report read_again(const std::string& json) {
    try {
        return parse_report(json, "written.json");
    } catch (const UsageError&) {
        __builtin_trap();  // what attnroof wrote, attnroof reads
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        const Report report = parse_report(text, "fuzz.json");
        for (const Format& format : formats()) format.render(report);
        const std::string json = to_json(report);
        if (to_json(read_again(json)) != json) __builtin_trap();
    } catch (const UsageError&) {
    }
    return 0;
}
