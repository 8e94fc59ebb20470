#include "reference/base/text.hpp"

#include <algorithm>
#include <numeric>

namespace ulpgate {

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
    std::string best;
    std::size_t best_distance = word.size() / 2 + 1;
    for (const auto& c : candidates) {
        std::vector<std::size_t> row(c.size() + 1);
        std::iota(row.begin(), row.end(), std::size_t{0});
        for (std::size_t i = 0; i < word.size(); ++i) {
            std::size_t diagonal = row[0];
            row[0] = i + 1;
            for (std::size_t j = 0; j < c.size(); ++j) {
                const std::size_t substitute = diagonal + (word[i] != c[j]);
                diagonal = row[j + 1];
                row[j + 1] = std::min({substitute, row[j] + 1, row[j + 1] + 1});
            }
        }
        if (row.back() < best_distance) {
            best_distance = row.back();
            best = c;
        }
    }
    return best;
}

}  // namespace ulpgate
