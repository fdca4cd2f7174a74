import Glibc

/// Limits and signals of the process.
enum ProcessLimits {
    /// Ignores SIGPIPE and sets SIGCHLD to its default, whatever the parent process had set.
    ///
    /// So a write to a closed connection fails without ending the process, and the exit status of children
    /// is available.
    static func setSignals() {
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGCHLD, SIG_DFL)
    }

    /// Raises the limit of descriptors as far as the system allows, to at most `Limits.descriptors`, and
    /// returns it.
    static func raiseDescriptors() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        let wanted = max(limit.rlim_cur, min(limit.rlim_max, rlim_t(Limits.descriptors)))
        var raised = rlimit(rlim_cur: wanted, rlim_max: limit.rlim_max)
        let result = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised)
        return Int(clamping: result == 0 ? wanted : limit.rlim_cur)
    }
}
