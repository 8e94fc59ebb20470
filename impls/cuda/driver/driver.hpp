// A GPU through NVIDIA's driver: libcuda.so.1 opened at run time, nothing of CUDA at link time. One device (the first that
// CUDA_VISIBLE_DEVICES shows), its primary context, one stream.
// Source of names, numbers and signatures: CUDA Driver API reference (cuda.h).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace ulpgate::cuda {

// "cuLaunchKernel: CUDA_ERROR_INVALID_VALUE (1)".
struct DriverError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

using Address = std::uint64_t;  // of device memory
struct Dimensions {
    std::uint32_t x = 1, y = 1, z = 1;
};

class Driver {
  public:
    // Opened at the first call, kept for ever. ULPGATE_CUDA_DRIVER names another library than libcuda.so.1.
    static Driver& get();

    // "": a device is there. Otherwise why none can be used, in words for a line that says SKIPPED; then nothing below may be called.
    const std::string& unavailable() const { return unavailable_; }
    const std::string& card() const { return card_; }  // "NVIDIA H200"
    std::string arch() const;                          // "sm_90"
    int version() const { return version_; }           // of the driver: 12080 is CUDA 12.8
    void* stream() const { return stream_; }

    // All throw DriverError.
    Address allocate(std::uint64_t bytes);
    void release(Address);
    void copy_in(Address to, const void* from, std::uint64_t bytes);
    void copy_out(void* to, Address from, std::uint64_t bytes);
    void fill(Address, std::uint8_t value, std::uint64_t bytes);
    void synchronize();  // errors of kernels come here
    void* load(const void* image);  // a cubin
    void* function(void* module, const std::string& name);
    void launch(void* function, Dimensions grid, Dimensions block, std::uint32_t dynamic_shared, std::span<const std::uint8_t> parameters);

  private:
    Driver();
    std::string open();
    void check(int result, const char* what) const;
    template <class F>
    F* entry(const char* name) const;

    void* library_ = nullptr;
    void* stream_ = nullptr;
    int device_ = 0, major_ = 0, minor_ = 0, version_ = 0;
    std::string card_, unavailable_;
};

}  // namespace ulpgate::cuda
