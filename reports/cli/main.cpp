#include "reports/cli/verb.hpp"

int main(int argc, char** argv) { return ulpgate::cli::run_program(argc, argv); }
