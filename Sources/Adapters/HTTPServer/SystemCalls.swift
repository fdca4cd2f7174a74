import Glibc

/// The system's message for an error number.
func systemMessage(_ number: Int32) -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { text in
        guard let start = text.baseAddress, unsafe strerror_r(number, start, 128) == 0 else {
            return "error \(number)"
        }
        return unsafe String(cString: start)
    }
}

/// Nanoseconds of the monotonic clock, which all of the server's deadlines use.
func monotonicNanoseconds() -> Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}

extension Duration {
    /// Nanoseconds, saturated at the largest value.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max / 4 : product + attoseconds / 1_000_000_000
    }
}
