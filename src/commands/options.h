// The options of the commands that read or write reports: text to the structs that the commands
// take.
#pragma once

namespace CLI {
class App;
}

namespace attnroof {

struct CompareRequest;
struct ExportOptions;
struct PredictRequest;
struct SweepOptions;

/// `list`: --list-kernels was given. What cannot be parsed throws UsageError while `app` parses.
void add_sweep_options(CLI::App& app, SweepOptions& out, bool& list);
void add_predict_options(CLI::App& app, PredictRequest& out);
void add_compare_options(CLI::App& app, CompareRequest& out);
void add_export_options(CLI::App& app, ExportOptions& out);

}  // namespace attnroof
