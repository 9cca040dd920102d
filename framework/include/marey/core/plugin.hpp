// A plugin is a shared library with this in its plugin.cpp, and nothing else needed:
//
//   #include <marey/core/plugin.hpp>
//   MAREY_PLUGIN("slowfast", "0.1.0") { registry.add<marey::Backbone, SlowFast>("SlowFast", "two-rate 3D
//   ResNet"); }
//
// The host reads the ABI string from an ELF note before it loads the file, so that no code of a plugin built
// for another host ever runs. Plugins stay loaded until the process ends.
#pragma once
#include <marey/core/registry.hpp>

#include <cstddef>
#include <cstdint>

// What must be equal on both sides.
#define MAREY_ABI_VERSION "1"
#ifndef MAREY_TORCH_SERIES
#define MAREY_TORCH_SERIES "none"  // defined by the LibTorch::LibTorch target
#endif
#if defined(__clang__)
#define MAREY_ABI_COMPILER "clang-" MAREY_ABI_TEXT(__clang_major__)
#else
#define MAREY_ABI_COMPILER "gnu-" MAREY_ABI_TEXT(__GNUC__)
#endif
#if !defined(_GLIBCXX_USE_CXX11_ABI) || _GLIBCXX_USE_CXX11_ABI
#define MAREY_ABI_STRINGS "1"
#else
#define MAREY_ABI_STRINGS "0"
#endif
#define MAREY_ABI_TEXT_(x) #x
#define MAREY_ABI_TEXT(x) MAREY_ABI_TEXT_(x)
#ifndef MAREY_ABI
#define MAREY_ABI                                                                        \
  "marey-" MAREY_ABI_VERSION ";torch-" MAREY_TORCH_SERIES ";cxx11abi-" MAREY_ABI_STRINGS \
  ";" MAREY_ABI_COMPILER ";c++20"
#endif

namespace marey {

inline constexpr std::uint32_t plugin_magic = 0x4d415245;  // "MARE"
inline constexpr std::uint32_t plugin_note_type = 1;

struct PluginInfo {  // plain data, exported as `marey_plugin`
  std::uint32_t magic, size;
  const char *abi, *name, *version;
  void (*enrol)(Registry&);
};

template <std::size_t N>
struct AbiNote {  // an ELF note: name "marey", descriptor = the ABI string
  std::uint32_t name_size = 6, desc_size = N, type = plugin_note_type;
  char name[8] = "marey";
  char abi[(N + 3) / 4 * 4] = {};
  constexpr explicit AbiNote(const char (&text)[N]) {
    for (std::size_t i = 0; i < N; ++i) abi[i] = text[i];
  }
};

}  // namespace marey

#define MAREY_PLUGIN(plugin_name, plugin_version)                                         \
  static void marey_enrol_plugin(marey::Registry&);                                       \
  __attribute__((section(".note.marey"), used,                                            \
                 aligned(4))) static constexpr marey::AbiNote<sizeof(MAREY_ABI)>          \
      marey_plugin_note{MAREY_ABI};                                                       \
  extern "C" __attribute__((visibility("default"))) const marey::PluginInfo marey_plugin; \
  const marey::PluginInfo marey_plugin{                                                   \
      marey::plugin_magic, sizeof(marey::PluginInfo), MAREY_ABI, plugin_name,             \
      plugin_version,      &marey_enrol_plugin};                                          \
  static void marey_enrol_plugin([[maybe_unused]] marey::Registry& registry)
