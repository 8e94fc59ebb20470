// The PTX inside a file: PTX text itself, or the images of fat binaries in a shared library, object or cubin, compressed or not.
#pragma once
#include <string>
#include <vector>

namespace ulpgate::launch {

struct Image {
    std::string arch;  // "sm_80"
    std::string ptx;
};

// Throws std::runtime_error: what is wrong with the file; no PTX in it is wrong too.
std::vector<Image> ptx_images(const std::string& path);
// The image for this architecture; "" the first. Throws where there is none.
Image ptx_image(const std::string& path, const std::string& arch);

}  // namespace ulpgate::launch
