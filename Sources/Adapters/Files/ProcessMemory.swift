import CLinux

/// The memory of this process.
package enum ProcessMemory {
    /// Gives memory that is free back to the system; the C library keeps it otherwise.
    ///
    /// Any thread. Takes some milliseconds, for which other threads may wait for memory.
    package static func giveBack() {
        _ = malloc_trim(0)
    }
}
