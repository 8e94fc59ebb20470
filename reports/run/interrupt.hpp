// Ctrl-C and SIGTERM end a run between two cases: what is done is kept and reported. A second one ends the program.
#pragma once

namespace ulpgate {

void catch_interrupts();
bool interrupted();

}  // namespace ulpgate
