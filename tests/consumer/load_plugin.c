/* Loads the shared object that links the archive, at run time, as an interpreter loads an extension. Its path goes in;
 * the exit code is 0 if the first sine of position 1 is sin(1), rounded once to float. */

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

int main(int argc, char** argv) {
  if (argc != 2) return 1;
  void* const plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (plugin == NULL) return 2;
  void* const symbol = dlsym(plugin, "plugin_first_sine");
  if (symbol == NULL) return 3;
  float (*first_sine)(int64_t) = NULL;
  memcpy(&first_sine, &symbol, sizeof(first_sine)); /* ISO C has no conversion from an object to a function */
  const float sine = first_sine(1);
  return sine == 0x1.aed548p-1f ? 0 : 4;
}
