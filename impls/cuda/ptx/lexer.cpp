#include "impls/cuda/ptx/lexer.hpp"

#include "impls/cuda/ptx/error.hpp"

namespace ulpgate::ptx {
namespace {

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }
bool in_word(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%' || c == '.'; }

class Lexer {
  public:
    explicit Lexer(std::string_view s) : s_(s) {}

    std::vector<Token> run() {
        while (at_ < s_.size()) step();
        out_.push_back({"", line_});
        return std::move(out_);
    }

  private:
    void step() {
        const char c = s_[at_];
        if (c == '\n') ++line_, ++at_;
        else if (blank(c)) ++at_;
        else if (s_.substr(at_, 2) == "//") skip_line();
        else if (s_.substr(at_, 2) == "/*") skip_to("*/", "comment");
        else if (c == '"') string();
        else if (in_word(c)) word();
        else if (c == '\0') fail(line_, "a zero byte: this is no PTX text");
        else take(1);
    }
    void skip_line() {
        while (at_ < s_.size() && s_[at_] != '\n') ++at_;
    }
    void skip_to(std::string_view end, const char* what) {
        const int began = line_;
        const auto stop = s_.find(end, at_ + 2);
        if (stop == s_.npos) fail(began, std::string(what) + " does not end: the PTX is cut off");
        for (; at_ < stop + end.size(); ++at_) line_ += s_[at_] == '\n';
    }
    void string() {
        const auto stop = s_.find('"', at_ + 1);
        if (stop == s_.npos) fail(line_, "string does not end: the PTX is cut off");
        take(stop + 1 - at_);
    }
    void word() {
        std::size_t n = 0;
        while (at_ + n < s_.size())
            if (in_word(s_[at_ + n])) ++n;
            else if (s_.substr(at_ + n, 2) == "::" && n) n += 2;
            else break;
        const auto w = s_.substr(at_, n);
        if (w == ".loc" || w == ".file") return skip_line();
        if (w == ".section") {  // debug data: { ... }
            const auto open = s_.find('{', at_);
            if (open == s_.npos) fail(line_, ".section does not begin: the PTX is cut off");
            at_ = open;
            return skip_to("}", ".section");
        }
        take(n);
    }
    void take(std::size_t n) {
        out_.push_back({s_.substr(at_, n), line_});
        at_ += n;
    }

    std::string_view s_;
    std::size_t at_ = 0;
    int line_ = 1;
    std::vector<Token> out_;
};

}  // namespace

std::vector<Token> lex(std::string_view source) { return Lexer(source).run(); }

}  // namespace ulpgate::ptx
