/// Faults of answers; they do not change what is published.
struct RequestFaults: Sendable, Equatable {
    struct Failing: Sendable, Equatable {
        var count: Int
        var status: Int
    }

    struct Truncating: Sendable, Equatable {
        var count: Int
        /// Whether the shortened length is announced, so that only the container shows what is missing;
        /// otherwise the connection is cut within the body.
        var isSilent: Bool
    }

    /// A segment that is listed before it can be fetched: the first one that is requested.
    struct Late: Sendable, Equatable {
        var seconds: Double
        var uri: String?
        /// Seconds since 1970.
        var until = Double.infinity
    }

    /// A rendition whose playlist is missing.
    struct Withdrawal: Sendable, Equatable {
        /// The end, seconds since 1970.
        var seconds: Double
        /// Whether the multivariant playlist still lists it.
        var isNamed: Bool
    }

    /// The key under which a fault for any rendition is stored.
    static let anyRendition = ""

    var failing: [String: Failing] = [:]
    var truncating: [String: Truncating] = [:]
    var late: [String: Late] = [:]
    var slowBytesPerSecond = Int.max
    var slowUntil = -Double.infinity
    var htmlUntil = -Double.infinity
    var downUntil = -Double.infinity
    /// End times by rendition.
    var withdrawn: [String: Withdrawal] = [:]
    var keysDownUntil = -Double.infinity

    /// The status with which this request for a segment is refused; counts down.
    mutating func takeFailure(of rendition: String) -> Int? {
        for key in [rendition, Self.anyRendition] {
            guard let fault = failing[key], fault.count > 0 else { continue }
            failing[key]?.count -= 1
            return fault.status
        }
        return nil
    }

    /// Whether a segment cannot be fetched yet.
    mutating func isLate(_ uri: String, of rendition: String, now: Double) -> Bool {
        for key in [rendition, Self.anyRendition] {
            guard var fault = late[key] else { continue }
            if fault.uri == nil { (fault.uri, fault.until) = (uri, now + fault.seconds) }
            late[key] = fault
            if fault.uri == uri, now < fault.until { return true }
        }
        return false
    }

    /// Whether a rendition's playlist is missing.
    func isWithdrawn(_ rendition: String, now: Double) -> Bool {
        [rendition, Self.anyRendition].contains { (withdrawn[$0]?.seconds ?? now) > now }
    }

    /// Whether the multivariant playlist leaves a rendition out.
    func isUnnamed(_ rendition: String, now: Double) -> Bool {
        isWithdrawn(rendition, now: now) && withdrawn[rendition]?.isNamed == false
    }

    /// How this request's body is truncated; counts down.
    mutating func takeTruncation(of rendition: String) -> Truncating? {
        for key in [rendition, Self.anyRendition] {
            guard let fault = truncating[key], fault.count > 0 else { continue }
            truncating[key]?.count -= 1
            return fault
        }
        return nil
    }
}
