# The CUDA kernels: PTX for sm_80 and sm_90 beside the module that runs it, cubins where nvcc is found. Without nvcc the PTX that
# is checked in (impls/cuda/rmsnorm/emitted, written by impls/cuda/emit.sh) is used: a test holds it to nvcc's.
#
# nvcc is looked for in CUDAToolkit_ROOT, CUDA_PATH, the PATH, and where impls/cuda/get_nvcc.sh puts it.
set(ULPGATE_CUDA_OUT ${CMAKE_BINARY_DIR}/bin/kernels/cuda)
file(MAKE_DIRECTORY ${ULPGATE_CUDA_OUT})
set(NVCC "")
set(cuda_missing "ULPGATE_CUDA is OFF")
if(NOT ULPGATE_CUDA STREQUAL "OFF")
  unset(nvcc_found CACHE)
  find_program(nvcc_found nvcc PATHS ${CUDAToolkit_ROOT} $ENV{CUDAToolkit_ROOT} $ENV{CUDA_PATH} ${CMAKE_SOURCE_DIR}/build/cuda-toolkit/nvidia/cu13 /usr/local/cuda
    PATH_SUFFIXES bin)
  if(nvcc_found)
    execute_process(COMMAND ${nvcc_found} --version OUTPUT_VARIABLE nvcc_text RESULT_VARIABLE nvcc_fails ERROR_QUIET)
    string(REGEX MATCH "V[0-9.]+" nvcc_version "${nvcc_text}")
  endif()
  if(NOT nvcc_found OR nvcc_fails)
    set(cuda_missing "nvcc was not found: impls/cuda/get_nvcc.sh installs it from PyPI")
    if(ULPGATE_CUDA STREQUAL "ON")
      message(FATAL_ERROR "ULPGATE_CUDA=ON: ${cuda_missing}, or set CUDAToolkit_ROOT")
    endif()
  else()
    set(NVCC ${nvcc_found})
    set(cuda_missing "")
    message(STATUS "nvcc ${nvcc_version}: ${NVCC}")
  endif()
endif()
set_property(GLOBAL PROPERTY ULPGATE_NVCC "${NVCC}")
set_property(GLOBAL PROPERTY ULPGATE_CUDA_MISSING "${cuda_missing}")

set(cuda_outputs ${ULPGATE_CUDA_OUT}/rmsnorm.toml)
add_custom_command(OUTPUT ${ULPGATE_CUDA_OUT}/rmsnorm.toml DEPENDS impls/cuda/rmsnorm/rmsnorm.toml
  COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/impls/cuda/rmsnorm/rmsnorm.toml ${ULPGATE_CUDA_OUT}/rmsnorm.toml)
file(GLOB cuda_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/impls/cuda/rmsnorm/*.cuh)
foreach(arch 80 90)
  set(ptx ${ULPGATE_CUDA_OUT}/rmsnorm.sm_${arch}.ptx)
  list(APPEND cuda_outputs ${ptx})
  if(NVCC)
    # The compiler's folder names stand in no line of the PTX; its own version does.
    add_custom_command(OUTPUT ${ptx} ${ULPGATE_CUDA_OUT}/rmsnorm.sm_${arch}.cubin
      COMMAND ${NVCC} -std=c++17 -O3 -arch=compute_${arch} -ptx -o ${ptx} ${CMAKE_SOURCE_DIR}/impls/cuda/rmsnorm/rmsnorm.cu
      COMMAND ${NVCC} -arch=sm_${arch} -cubin -o ${ULPGATE_CUDA_OUT}/rmsnorm.sm_${arch}.cubin ${ptx}
      DEPENDS ${CMAKE_SOURCE_DIR}/impls/cuda/rmsnorm/rmsnorm.cu ${cuda_headers} VERBATIM)
  else()
    set(emitted ${CMAKE_SOURCE_DIR}/impls/cuda/rmsnorm/emitted/rmsnorm.sm_${arch}.ptx)
    add_custom_command(OUTPUT ${ptx} DEPENDS ${emitted} COMMAND ${CMAKE_COMMAND} -E copy ${emitted} ${ptx})
  endif()
endforeach()
add_custom_target(ulpgate_cuda DEPENDS ${cuda_outputs})
add_dependencies(ulpgate_programs ulpgate_cuda)
