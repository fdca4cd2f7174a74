#ifndef CLINUX_SHIM_H
#define CLINUX_SHIM_H

#include <linux/fs.h>
#include <linux/openat2.h>
#include <malloc.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

/* In the C library since versions 2.34 and 2.29, but not in Swift's module of it. */
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);

/* preadv2(2) and its flags are not in Swift's module of the C library. */

struct clinux_vector {
    void *base;
    size_t byte_count;
};

/* Reads one byte at an offset if that needs no waiting: 1 if it does not, 0 at the end of the file, -1 and errno otherwise. */
static inline long clinux_read_byte_at_once(int file, long offset) {
    char byte;
    struct clinux_vector vector = { &byte, 1 };
    return syscall(SYS_preadv2, file, &vector, 1, offset, 0L, RWF_NOWAIT);
}

/* openat2(2) is not in the C library. */

/* openat(2) for a path that is in the kernel's memory: -1 with EAGAIN for another one. */
static inline int clinux_open_at_once(int folder, const char *path, int flags) {
    struct open_how how = { .flags = (unsigned)flags, .resolve = RESOLVE_CACHED };
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

#endif
