// The files that a command is asked to write: checked before, told of before and after.
#pragma once

#include <algorithm>
#include <filesystem>
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
    const auto place = [](const std::string& path) {
        return std::filesystem::path(path).lexically_normal();  // a.md is ./a.md
    };
    for (const std::string& path : outputs) {
        if (path.empty()) throw UsageError("-o: the path is empty");
        if (std::count_if(outputs.begin(), outputs.end(), [&](const std::string& other) {
                return !other.empty() && place(other) == place(path);
            }) > 1)
            throw UsageError("-o: " + in_quotes(path) + " is given twice");
        check_one(path);
        check_writable(path);
    }
}

/// On standard error: the files that `outputs` will replace, and when the last of them was written.
void note_replaced(const std::vector<std::string>& outputs);

/// On standard error: the files that were written, and the folder that relative paths start in.
void note_written(std::vector<std::string> outputs);

}  // namespace attnroof
