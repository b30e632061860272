/// A plug-in of an earlier kernel interface.

extern "C" {
extern const unsigned takt_kernel_interface;
const unsigned takt_kernel_interface = 10;
void takt_register_kernels(void* registry);
void takt_register_kernels(void*) {}
}
