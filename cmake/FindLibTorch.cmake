# Finds LibTorch without its own TorchConfig.cmake, which demands a CUDA toolkit for CUDA wheels.
# Looks in LIBTORCH_ROOT, $LIBTORCH_ROOT, then the folder that scripts/setup fills. Takes the CPU wheel, the CUDA wheel,
# the official zip and a distribution's package. Defines LibTorch::LibTorch, LibTorch_VERSION, LibTorch_SERIES (x.y).
set(_cache "$ENV{XDG_CACHE_HOME}")
if(NOT _cache)
  set(_cache "$ENV{HOME}/.cache")
endif()
file(GLOB _libtorch_private "${_cache}/marey/libtorch-*/torch")   # folders outside this tree, not sources
if(_libtorch_private)
  list(SORT _libtorch_private COMPARE NATURAL ORDER DESCENDING)
endif()
find_path(LibTorch_INCLUDE_DIR ATen/core/Tensor.h
  HINTS ${LIBTORCH_ROOT} $ENV{LIBTORCH_ROOT} PATHS ${_libtorch_private} /usr PATH_SUFFIXES include torch/include
  NO_CMAKE_SYSTEM_PATH)
if(LibTorch_INCLUDE_DIR)
  get_filename_component(_root "${LibTorch_INCLUDE_DIR}" DIRECTORY)
  find_library(LibTorch_LIBRARY torch HINTS "${_root}/lib" NO_DEFAULT_PATH)
  find_library(LibTorch_CPU_LIBRARY torch_cpu HINTS "${_root}/lib" NO_DEFAULT_PATH)
  find_library(LibTorch_C10_LIBRARY c10 HINTS "${_root}/lib" NO_DEFAULT_PATH)
  find_library(LibTorch_CUDA_LIBRARY torch_cuda HINTS "${_root}/lib" NO_DEFAULT_PATH)
  find_library(LibTorch_C10_CUDA_LIBRARY c10_cuda HINTS "${_root}/lib" NO_DEFAULT_PATH)
  foreach(_f torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
    if(EXISTS "${LibTorch_INCLUDE_DIR}/${_f}" AND NOT LibTorch_VERSION)
      file(STRINGS "${LibTorch_INCLUDE_DIR}/${_f}" _lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
      if(_lines)
        string(REGEX REPLACE ".*MAJOR ([0-9]+).*MINOR ([0-9]+).*PATCH ([0-9]+).*" "\\1.\\2.\\3" LibTorch_VERSION "${_lines}")
        string(REGEX REPLACE "^([0-9]+\\.[0-9]+).*" "\\1" LibTorch_SERIES "${LibTorch_VERSION}")
      endif()
    endif()
  endforeach()
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LibTorch_INCLUDE_DIR LibTorch_LIBRARY LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY
  VERSION_VAR LibTorch_VERSION
  REASON_FAILURE_MESSAGE "run scripts/setup, or give -DLIBTORCH_ROOT=<folder with include/ and lib/>")
if(LibTorch_FOUND AND NOT TARGET LibTorch::LibTorch)
  add_library(LibTorch::LibTorch INTERFACE IMPORTED)
  target_include_directories(LibTorch::LibTorch SYSTEM INTERFACE
    "${LibTorch_INCLUDE_DIR}" "${LibTorch_INCLUDE_DIR}/torch/csrc/api/include")
  target_compile_definitions(LibTorch::LibTorch INTERFACE "MAREY_TORCH_SERIES=\"${LibTorch_SERIES}\"")
  target_link_libraries(LibTorch::LibTorch INTERFACE
    "${LibTorch_LIBRARY}" "${LibTorch_CPU_LIBRARY}" "${LibTorch_C10_LIBRARY}")
  if(LibTorch_CUDA_LIBRARY AND LibTorch_C10_CUDA_LIBRARY)
    # Nothing refers to a symbol of these two, and without them no CUDA device is seen.
    target_link_libraries(LibTorch::LibTorch INTERFACE
      "-Wl,--no-as-needed,${LibTorch_CUDA_LIBRARY},${LibTorch_C10_CUDA_LIBRARY},--as-needed")
  endif()
endif()
mark_as_advanced(LibTorch_INCLUDE_DIR LibTorch_LIBRARY LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY)
