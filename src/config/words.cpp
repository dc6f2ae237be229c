#include "config/words.h"

#include <fmt/format.h>

#include <algorithm>

namespace attnroof {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> two_up, up(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        two_up = std::move(up);
        up = row;
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({up[j] + 1, row[j - 1] + 1, up[j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], two_up[j - 2] + 1);
        }
    }
    return row[b.size()];
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
    if (known.empty() || word.size() > 64) return std::nullopt;
    const auto closer = [&](const std::string& a, const std::string& b) {
        return edit_distance(word, a) < edit_distance(word, b);
    };
    const std::string& best = *std::min_element(known.begin(), known.end(), closer);
    if (3 * edit_distance(word, best) > 2 * std::max(word.size(), best.size())) return std::nullopt;
    return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known,
                         std::string_view before) {
    const std::optional<std::string> best = nearest(word, known);
    return best ? fmt::format(", did you mean {}{}?", before, *best) : "";
}

bool same_word(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](char x, char y) { return lower(x) == lower(y); });
}

std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xc2 ? 0
                               : lead < 0xe0 ? 2
                               : lead < 0xf0 ? 3
                               : lead < 0xf5 ? 4
                                             : 0;
    if (length == 0 || length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    // Overlong forms, surrogates and what lies past U+10FFFF.
    if (length == 3 && ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f)))
        return 0;
    if (length == 4 && ((lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) > 0x8f)))
        return 0;
    return length;
}

std::string printable(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        const auto first = static_cast<unsigned char>(text[0]);
        if (length == 0 || first < 0x20 || first == 0x7f)
            out += '?';
        else
            out += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

std::string in_quotes(std::string_view text) {
    constexpr std::size_t longest = 120;
    if (text.size() <= longest) return fmt::format("'{}'", printable(text));
    return fmt::format("'{}...' ({} bytes)", printable(text.substr(0, longest)), text.size());
}

}  // namespace attnroof
