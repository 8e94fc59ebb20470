// What the long check has done so far: counts by type, width and profile, every finding, and on what machine. A file of JSON
// that the next run goes on from.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ulpgate::long_check {

struct Finding {
    std::uint64_t task = 0;
    std::string line, model, what;
};

struct Record {
    std::uint64_t tasks = 0;  // 0 .. tasks - 1 are done
    std::int64_t rows = 0, elements = 0;
    std::map<std::string, std::int64_t> by_type, by_width, by_profile;  // elements
    std::map<std::string, std::int64_t> by_field;  // of claims that say something of this field
    std::vector<Finding> findings;
    double seconds = 0;
    std::string date, commit, compiler, cpu;

    // Runs task `tasks` and counts it.
    void step();
};

// Machine, compiler and today's date; commit as given.
void stamp(Record&, const std::string& commit);

std::string to_json(const Record&);
// "" or what is wrong with the text.
std::string from_json(const std::string& text, Record&);

}  // namespace ulpgate::long_check
