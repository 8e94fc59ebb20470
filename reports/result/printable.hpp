// A result whose texts can go to a terminal: what came from outside cannot move the cursor, clear a line or reorder words.
#pragma once
#include "reports/result/result.hpp"

namespace ulpgate {

StageTable printable(StageTable);
EpsTable printable(EpsTable);
Result printable(Result);

}  // namespace ulpgate
