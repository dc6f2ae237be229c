// The files that a command is asked to write.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "config/words.h"
#include "errors.h"
#include "report/formats.h"

namespace attnroof {

/// Before anything is measured: each output is named once, passes `check_one(path)`, which throws
/// UsageError, and can be written.
template <class Check>
void check_outputs(const std::vector<std::string>& outputs, Check&& check_one) {
    for (const std::string& path : outputs) {
        if (std::count(outputs.begin(), outputs.end(), path) > 1)
            throw UsageError("-o: " + in_quotes(path) + " is given twice");
        check_one(path);
        check_writable(path);
    }
}

}  // namespace attnroof
