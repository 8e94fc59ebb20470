// Values of a budget changed where they stand in the file's text, so that comments, order and spaces stay.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "reference/toml/document.hpp"

namespace ulpgate {

class BudgetEdit {
  public:
    explicit BudgetEdit(const std::string& content);

    // In the [[limit]] that begins on this line of the content: the value of a key that is there.
    void set(int entry, std::string_view key, std::string_view value);
    // The same of a string; where the key is not there it comes on a line of its own below the key `after`. "" takes it out.
    void set_text(int entry, std::string_view key, std::string_view text, std::string_view after);

    std::string text() const;

  private:
    struct Change {
        int line = 0, column = 0, end_column = 0;
        std::string with;
    };
    const TomlValue* value_of(int entry, std::string_view key) const;

    std::vector<std::string> lines_;
    std::vector<std::vector<std::string>> below_;  // new lines under each
    std::vector<bool> gone_;
    std::vector<Change> changes_;  // one a place: the last wins
    TomlValue root_;
};

}  // namespace ulpgate
