/// Faults in how requests are answered; they change nothing of what is published.
struct RequestFaults: Sendable, Equatable {
    struct Failing: Sendable, Equatable {
        var count: Int
        var status: Int
    }

    struct Truncating: Sendable, Equatable {
        var count: Int
        /// Announces the shortened length, so that only the container shows what is missing; else the
        /// connection is cut in the middle of the body.
        var isSilent: Bool
    }

    /// A rendition whose playlist is not there.
    struct Withdrawal: Sendable, Equatable {
        /// Seconds since 1970, or until then.
        var seconds: Double
        /// The multivariant playlist names it all the same.
        var isNamed: Bool
    }

    /// Rendition under which a fault for any rendition is kept.
    static let anyRendition = ""

    var failing: [String: Failing] = [:]
    var truncating: [String: Truncating] = [:]
    var slowBytesPerSecond = Int.max
    var slowUntil = -Double.infinity
    var htmlUntil = -Double.infinity
    var downUntil = -Double.infinity
    /// Until when, by rendition.
    var withdrawn: [String: Withdrawal] = [:]
    var keysDownUntil = -Double.infinity

    /// The status that this request for a segment is refused with; counts down.
    mutating func takeFailure(of rendition: String) -> Int? {
        for key in [rendition, Self.anyRendition] {
            guard let fault = failing[key], fault.count > 0 else { continue }
            failing[key]?.count -= 1
            return fault.status
        }
        return nil
    }

    /// Whether a rendition's playlist is not there.
    func isWithdrawn(_ rendition: String, now: Double) -> Bool {
        [rendition, Self.anyRendition].contains { (withdrawn[$0]?.seconds ?? now) > now }
    }

    /// Whether the multivariant playlist leaves a rendition out.
    func isUnnamed(_ rendition: String, now: Double) -> Bool {
        isWithdrawn(rendition, now: now) && withdrawn[rendition]?.isNamed == false
    }

    /// How this request's body is cut; counts down.
    mutating func takeTruncation(of rendition: String) -> Truncating? {
        for key in [rendition, Self.anyRendition] {
            guard let fault = truncating[key], fault.count > 0 else { continue }
            truncating[key]?.count -= 1
            return fault
        }
        return nil
    }
}
