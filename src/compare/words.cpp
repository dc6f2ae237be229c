#include "compare/words.h"

#include <fmt/format.h>

#include "report/units.h"

namespace attnroof {

std::string percent_text(double ratio) {
    if (ratio >= 4) return significant(ratio) + "x slower";
    if (ratio <= 0.25) return significant(1 / ratio) + "x faster";
    return fmt::format("{:+.1f} %", 100 * (ratio - 1));
}

std::string change_text(double base, double fresh) {
    if (base <= 0) return fmt::format("from {:g} to {:g}", base, fresh);
    const double ratio = fresh / base;
    if (ratio >= 4) return significant(ratio) + "x as many";
    return fmt::format("{:+.3g} %", 100 * (ratio - 1));
}

std::string seconds_text(double seconds) { return si(seconds, "s"); }

}  // namespace attnroof
