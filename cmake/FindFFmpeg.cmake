# Finds the libav* libraries named as components, through pkg-config. Defines FFmpeg::<component>.
find_package(PkgConfig REQUIRED)
foreach(_c IN LISTS FFmpeg_FIND_COMPONENTS)
  pkg_check_modules(FFmpeg_${_c} QUIET IMPORTED_TARGET GLOBAL lib${_c})
  if(FFmpeg_${_c}_FOUND AND NOT TARGET FFmpeg::${_c})
    add_library(FFmpeg::${_c} ALIAS PkgConfig::FFmpeg_${_c})
  endif()
endforeach()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FFmpeg HANDLE_COMPONENTS REQUIRED_VARS FFmpeg_avformat_LIBRARIES
  VERSION_VAR FFmpeg_avformat_VERSION REASON_FAILURE_MESSAGE "install the libavformat, libavcodec, libavutil and libswscale development packages")
