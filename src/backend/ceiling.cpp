#include "backend/ceiling.h"

#include <algorithm>
#include <cmath>

namespace attnroof {

double spread_of(double value, std::vector<double> samples) {
    const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
    std::nth_element(samples.begin(), middle, samples.end());
    const double larger = std::max(value, *middle);
    return larger > 0 ? std::abs(value - *middle) / larger : 0;
}

}  // namespace attnroof
