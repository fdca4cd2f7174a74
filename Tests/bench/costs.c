// Loaded before the C library (LD_PRELOAD): counts what a process allocates, and has Callgrind write down the instructions that it
// has executed since the last time. The file that COSTS names holds two 64-bit numbers: allocations, and the number of SIGUSR2,
// for each of which Callgrind writes a file, if the process runs under it.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

enum { ALLOCATIONS, SIGNALS, KINDS };

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static _Atomic int64_t unused[KINDS];
static _Atomic int64_t *counts = unused;

static void write_down(int number) {
    (void)number;
    CALLGRIND_DUMP_STATS;
    counts[SIGNALS]++;
}

__attribute__((constructor)) static void open_counts(void) {
    const char *path = getenv("COSTS");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *shared = mmap(NULL, sizeof unused, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (shared == MAP_FAILED) return;
    counts = shared;
    struct sigaction action = {.sa_handler = write_down, .sa_flags = SA_RESTART};
    sigaction(SIGUSR2, &action, NULL);
}

// Callgrind writes to the mask, and libdispatch has it in memory that cannot be written.
int sigsuspend(const sigset_t *mask) {
    sigset_t own = *mask;
    return (int)syscall(SYS_rt_sigsuspend, &own, _NSIG / 8);
}

void *malloc(size_t size) {
    counts[ALLOCATIONS]++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    counts[ALLOCATIONS]++;
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    counts[ALLOCATIONS]++;
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    counts[ALLOCATIONS]++;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    void *made = memalign(alignment, size);
    if (!made) return ENOMEM;
    *block = made;
    return 0;
}
