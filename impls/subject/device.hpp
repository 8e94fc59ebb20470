// A child whose kernel wants device memory (descriptor.device = ULPGATE_CUDA): every tensor of the call lies on the device at
// the same place of one allocation as in the host's reservation. What was between the tensors is checked after the call, since no
// guard page stands there: bytes before and after each tensor, the paddings, and every input must hold what they held.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "impls/cuda/driver/driver.hpp"
#include "impls/subject/protocol.hpp"

namespace ulpgate::child {

class DeviceMemory {
  public:
    explicit DeviceMemory(cuda::Driver& d) : driver_(d) {}
    // What pack() takes as its base: a device address. Copies every tensor over. host: of the reservation.
    char* put(const Control&, const char* host);
    // `bytes` of device memory filled with `poison`, a guard of the same on both sides; its address, a multiple of 256.
    void* workspace(std::uint64_t bytes, std::uint8_t poison);
    // Waits for the kernel, copies the outputs back. The host's address of a byte that the kernel must not have touched (a tensor's
    // as if it lay in the reservation), or 0.
    std::uint64_t get(const Control&, char* host);

  private:
    std::uint64_t changed(const Control&, const Slot&, const char* host);

    cuda::Driver& driver_;
    cuda::Address arena_ = 0, base_ = 0, work_ = 0;
    std::uint64_t arena_bytes_ = 0, work_bytes_ = 0, asked_ = 0;
    std::uint8_t poison_ = 0;
    std::vector<char> seen_;
};

}  // namespace ulpgate::child
