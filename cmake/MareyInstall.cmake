# cmake --install: the program, the library, the plugins, the headers, the recipes and the CMake package.
