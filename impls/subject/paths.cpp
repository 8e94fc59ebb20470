#include "impls/subject/subject.hpp"
