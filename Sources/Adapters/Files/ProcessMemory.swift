import CLinux

/// The memory of this process.
package enum ProcessMemory {
    /// Gives memory that is free back to the system; the C library keeps it otherwise.
    ///
    /// Any thread. Takes some milliseconds, for which other threads may wait for memory.
    package static func returnFreeMemory() {
        _ = malloc_trim(0)
    }

    /// Keeps memory that is free for the next allocation, up to 64 MiB.
    ///
    /// For a process that moves large pieces of bytes: else each piece is new memory of the system, which
    /// takes it back and clears it. Called once, when the process starts.
    package static func keepFreeMemory() {
        _ = mallopt(M_MMAP_THRESHOLD, 32 << 20)
        _ = mallopt(M_TRIM_THRESHOLD, 64 << 20)
        _ = mallopt(M_ARENA_MAX, 2)
    }
}
