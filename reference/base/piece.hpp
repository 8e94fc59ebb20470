// Pieces: small constants (an order, a map, a fault, a profile) that live one in a file and are found by folder.
// The file reference/orders/lanes.cpp says PIECE(Order, lanes) = {...}; CMake globs the folder and writes a list that
// names every constant, so nothing depends on initialisation order and the linker can drop nothing.
#pragma once
#include <span>

#define PIECE(Type, name)    \
    extern const Type name; \
    constinit const Type name
