// A JSON tree to a config layer: one table row a key.
#include <algorithm>
#include <utility>

#include "config/conflicts.h"
#include "config/json_tree.h"
#include "config/parse.h"
#include "config/values.h"

namespace attnroof {
namespace {

using Kind = JsonValue::Kind;

/// Where a value stands: "sweep.json: axes.seq_len[1]".
struct Place {
    const std::string& source;
    std::string path;

    Place key(const std::string& name) const { return {source, path_of_key(path, name)}; }
    Place item(std::size_t index) const { return {source, path_of_item(path, index)}; }
    std::string text() const { return path.empty() ? source : source + ": " + path; }
};

[[noreturn]] void wrong_type(const JsonValue& node, const Place& place, const char* expected) {
    fail(place.text(), fmt::format("expected {}, got {}", expected, node.shown()));
}

const std::string& number_text(const JsonValue& node, const Place& place) {
    if (node.kind != Kind::number) wrong_type(node, place, "a number");
    return node.text;
}

const std::string& string_text(const JsonValue& node, const Place& place) {
    if (node.kind != Kind::string) wrong_type(node, place, "a string");
    return node.text;
}

std::int64_t size(const JsonValue& node, const Place& place) {
    return whole_number(place.text(), number_text(node, place), 1, largest_size);
}

int count(const JsonValue& node, const Place& place, int least) {
    return static_cast<int>(whole_number(place.text(), number_text(node, place), least, 1'000'000));
}

/// A list of values, or one value that stands for a list of one.
template <typename One>
auto list(const JsonValue& node, const Place& place, One one) {
    std::vector<std::decay_t<decltype(one(node, place))>> values;
    if (node.kind != Kind::array) {
        values.push_back(one(node, place));
        return values;
    }
    if (node.items.empty()) fail(place.text(), "the list is empty");
    if (node.items.size() > longest_axis)
        fail(place.text(), fmt::format("the list holds more than {} values", longest_axis));
    for (std::size_t i = 0; i < node.items.size(); ++i)
        append_new(values, one(node.items[i], place.item(i)), place.item(i).text(),
                   node.items[i].text);
    return values;
}

template <typename Target>
using Row = std::pair<const char*, void (*)(Target&, const JsonValue&, const Place&)>;

/// Reads an object key by key; a key without a row is an error that names the nearest.
template <typename Target>
void read_object(Target& target, const JsonValue& node, const Place& place,
                 const std::vector<Row<Target>>& rows) {
    if (node.kind != Kind::object)
        wrong_type(node, place, place.path.empty() ? "an object at the top" : "an object");
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        const std::string& key = node.keys[i];
        const auto row = std::find_if(rows.begin(), rows.end(),
                                      [&](const Row<Target>& r) { return key == r.first; });
        if (row == rows.end()) {
            std::vector<std::string> known;
            for (const Row<Target>& r : rows) known.push_back(r.first);
            fail(place.key(key).text(),
                 fmt::format("unknown key{} (known: {})", did_you_mean(key, known),
                             fmt::join(known, ", ")));
        }
        row->second(target, node.items[i], place.key(key));
    }
}

struct Range {
    std::optional<std::int64_t> from, to, times, step;
};

/// {"from": 512, "to": 65536, "times": 2} or with "step"
std::vector<std::int64_t> range(const JsonValue& node, const Place& place) {
    static const std::vector<Row<Range>> rows{
        {"from", [](Range& r, const JsonValue& n, const Place& p) { r.from = size(n, p); }},
        {"to", [](Range& r, const JsonValue& n, const Place& p) { r.to = size(n, p); }},
        {"times",
         [](Range& r, const JsonValue& n, const Place& p) {
             r.times = whole_number(p.text(), number_text(n, p), 2, largest_size);
         }},
        {"step", [](Range& r, const JsonValue& n, const Place& p) { r.step = size(n, p); }},
    };
    Range range;
    read_object(range, node, place, rows);
    if (!range.from || !range.to || range.times.has_value() == range.step.has_value())
        fail(place.text(), "a range needs from, to and one of times and step");
    return range.times
               ? expand_range(place.text(), *range.from, *range.to, Progression::times,
                              *range.times)
               : expand_range(place.text(), *range.from, *range.to, Progression::step, *range.step);
}

std::vector<std::int64_t> sizes(const JsonValue& node, const Place& place) {
    if (node.kind == Kind::object) return range(node, place);
    if (node.kind != Kind::array && node.kind != Kind::number)
        wrong_type(node, place, "a whole number, a list of them or a range");
    return list(node, place, size);
}

template <typename Enum, std::size_t n>
std::vector<Enum> words(const JsonValue& node, const Place& place, const char* what,
                        const std::array<const char*, n>& names) {
    return list(node, place, [&](const JsonValue& one, const Place& p) {
        return word<Enum>(p.text(), string_text(one, p), what, names);
    });
}

using L = ConfigLayer;
using N = const JsonValue&;
using P = const Place&;

const std::vector<Row<L>>& axis_rows() {
    static const std::vector<Row<L>> rows{
        {"seq_len", [](L& l, N n, P p) { l.seq_lens = sizes(n, p); }},
        {"q_len", [](L& l, N n, P p) { l.q_lens = sizes(n, p); }},
        {"kv_len", [](L& l, N n, P p) { l.kv_lens = sizes(n, p); }},
        {"head_dim", [](L& l, N n, P p) { l.head_dims = sizes(n, p); }},
        {"dtype", [](L& l, N n, P p) { l.dtypes = words<DType>(n, p, "dtype", dtype_names); }},
        {"mask", [](L& l, N n, P p) { l.masks = words<Mask>(n, p, "mask", mask_names); }},
        {"pass", [](L& l, N n, P p) { l.passes = words<Pass>(n, p, "pass", pass_names); }},
        {"batch", [](L& l, N n, P p) { l.batches = sizes(n, p); }},
        {"heads", [](L& l, N n, P p) { l.heads = sizes(n, p); }},
        {"kv_heads", [](L& l, N n, P p) { l.kv_heads = sizes(n, p); }},
    };
    return rows;
}

const std::vector<Row<L>>& timing_rows() {
    static const std::vector<Row<L>> rows{
        {"max_seconds",
         [](L& l, N n, P p) {
             l.max_seconds = positive_number(p.text(), number_text(n, p), 3600);
         }},
        {"target_ci",
         [](L& l, N n, P p) { l.target_ci = positive_number(p.text(), number_text(n, p), 1); }},
        {"min_samples", [](L& l, N n, P p) { l.min_samples = count(n, p, 1); }},
        {"max_samples", [](L& l, N n, P p) { l.max_samples = count(n, p, 1); }},
        {"warmup", [](L& l, N n, P p) { l.warmup = count(n, p, 0); }},
    };
    return rows;
}

const std::vector<Row<LimitRule>>& limit_rows() {
    static const auto number = [](N n, P p) {
        return positive_number(p.text(), number_text(n, p), 1e6);
    };
    static const std::vector<Row<LimitRule>> rows{
        {"cases", [](LimitRule& r, N n, P p) { r.cases = string_text(n, p); }},
        {"percent", [](LimitRule& r, N n, P p) { r.percent = number(n, p); }},
        {"seconds", [](LimitRule& r, N n, P p) { r.seconds = number(n, p); }},
        {"bytes_percent", [](LimitRule& r, N n, P p) { r.bytes_percent = number(n, p); }},
        {"flops_percent", [](LimitRule& r, N n, P p) { r.flops_percent = number(n, p); }},
    };
    return rows;
}

const std::vector<Row<Gate>>& gate_rows() {
    static const std::vector<Row<Gate>> rows{
        {"limits",
         [](Gate& g, N n, P p) {
             if (n.kind != Kind::array) wrong_type(n, p, "a list of objects");
             for (std::size_t i = 0; i < n.items.size(); ++i)
                 read_object(g.limits.emplace_back(), n.items[i], p.item(i), limit_rows());
         }},
        {"required", [](Gate& g, N n, P p) { g.required = list(n, p, string_text); }},
    };
    return rows;
}

bool flag(const JsonValue& node, const Place& place) {
    if (node.kind != Kind::boolean) wrong_type(node, place, "true or false");
    return node.text == "true";
}

void read_on_cpu(L& layer, N node, P place);

const std::vector<Row<L>>& top_rows() {
    static const std::vector<Row<L>> rows{
        {"kernels",
         [](L& l, N n, P p) {
             l.kernels = list(
                 n, p, [](N one, P at) { return kernel_choice(at.text(), string_text(one, at)); });
         }},
        {"axes", [](L& l, N n, P p) { read_object(l, n, p, axis_rows()); }},
        {"tokens", [](L& l, N n, P p) { l.tokens = size(n, p); }},
        {"hidden", [](L& l, N n, P p) { l.hidden = size(n, p); }},
        {"cache",
         [](L& l, N n, P p) { l.caches = words<CacheMode>(n, p, "cache mode", cache_mode_names); }},
        {"counters",
         [](L& l, N n, P p) {
             l.counters =
                 word<CounterMode>(p.text(), string_text(n, p), "counter mode", counter_mode_names);
         }},
        {"selftest", [](L& l, N n, P p) { l.selftest = flag(n, p); }},
        {"levels",
         [](L& l, N n, P p) { l.levels = words<Level>(n, p, "memory level", level_names); }},
        {"timing", [](L& l, N n, P p) { read_object(l, n, p, timing_rows()); }},
        {"gate", [](L& l, N n, P p) { read_object(l.gate.emplace(), n, p, gate_rows()); }},
        {"seed", [](L& l, N n, P p) { l.seed = seed_number(p.text(), number_text(n, p)); }},
        {"lesson", [](L& l, N n, P p) { l.lesson = flag(n, p); }},
        {"on_cpu", read_on_cpu},
    };
    return rows;
}

/// Settings that take the place of the file's own on a CPU.
void read_on_cpu(L& layer, N node, P place) {
    L& cpu = layer.on_cpu.emplace_back();
    read_object(cpu, node, place, top_rows());
    if (!cpu.on_cpu.empty()) fail(place.key("on_cpu").text(), "is inside on_cpu already");
    reject_conflicts(cpu, place.text(), Naming::keys);
}

}  // namespace

ConfigLayer parse_config(std::string_view text, const std::string& source) {
    ConfigLayer layer;
    read_object(layer, parse_json(text, source), Place{source, ""}, top_rows());
    reject_conflicts(layer, source, Naming::keys);
    return layer;
}

}  // namespace attnroof
