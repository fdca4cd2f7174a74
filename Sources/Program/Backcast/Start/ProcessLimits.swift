import Glibc

/// What the process asks of the system for itself.
enum ProcessLimits {
    /// A peer that left is an error of the write, never the end of the process.
    static func ignoreBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// Raises the number of descriptors to what the system allows, at most `Limits.descriptors`; how many there are.
    static func raiseDescriptors() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        let wanted = max(limit.rlim_cur, min(limit.rlim_max, rlim_t(Limits.descriptors)))
        var raised = rlimit(rlim_cur: wanted, rlim_max: limit.rlim_max)
        let result = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised)
        return Int(clamping: result == 0 ? wanted : limit.rlim_cur)
    }
}
