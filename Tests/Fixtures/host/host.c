// Loaded before the C library (LD_PRELOAD), so that a test can step the clock of one process and fill its disk.
// The file that FAULT_HOST names holds two little-endian 64-bit numbers: nanoseconds that are added to the
// host's clock, and 1 while the disk is full. Only files below the folder FAULT_ARCHIVE are refused.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct host {
    int64_t step;
    int64_t is_full;
};

static const struct host usual;
static const volatile struct host *host = &usual;
static const char *folder = "";

__attribute__((constructor)) static void open_host(void) {
    const char *path = getenv("FAULT_HOST"), *full = getenv("FAULT_ARCHIVE");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *shared = mmap(NULL, sizeof(struct host), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (shared == MAP_FAILED) return;
    if (full) folder = full;
    host = shared;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int clock_gettime(clockid_t clock, struct timespec *time) {
    static __typeof__(&clock_gettime) next;
    if (!next) next = NEXT(clock_gettime);
    int result = next(clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        int64_t all = (int64_t)time->tv_sec * 1000000000 + time->tv_nsec + host->step;
        time->tv_sec = all / 1000000000;
        time->tv_nsec = all % 1000000000;
    }
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec now;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

static int is_below(const char *path) {
    size_t length = strlen(folder);
    return length > 0 && strncmp(path, folder, length) == 0;
}

static int is_refused(int file) {
    char link[32], path[PATH_MAX];
    if (!host->is_full) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    if (!is_below(path)) return 0;
    errno = ENOSPC;
    return 1;
}

ssize_t write(int file, const void *bytes, size_t count) {
    return is_refused(file) ? -1 : NEXT(write)(file, bytes, count);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    return is_refused(file) ? -1 : NEXT(pwrite)(file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    return is_refused(file) ? -1 : NEXT(pwrite64)(file, bytes, count, offset);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    return is_refused(file) ? -1 : NEXT(writev)(file, parts, count);
}

int statvfs(const char *restrict path, struct statvfs *restrict space) {
    int result = NEXT(statvfs)(path, space);
    if (result == 0 && host->is_full && is_below(path)) space->f_bavail = space->f_bfree = 0;
    return result;
}

int fstatvfs(int file, struct statvfs *space) {
    int result = NEXT(fstatvfs)(file, space), before = errno;
    if (result == 0 && is_refused(file)) space->f_bavail = space->f_bfree = 0;
    errno = before;
    return result;
}
