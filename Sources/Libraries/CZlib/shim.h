#ifndef CZLIB_SHIM_H
#define CZLIB_SHIM_H

#include <zlib.h>

/* deflateInit2 is a macro, which Swift does not import. */
static inline int czlib_deflate_init(z_streamp stream, int level, int window_bits, int memory) {
    return deflateInit2(stream, level, Z_DEFLATED, window_bits, memory, Z_DEFAULT_STRATEGY);
}

/* Likewise inflateInit2. */
static inline int czlib_inflate_init(z_streamp stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}

#endif
