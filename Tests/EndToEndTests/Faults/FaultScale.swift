import Foundation

/// How much the fault tests do: a short form with every run of the tests, all of it by `make faults`.
struct FaultScale: Sendable {
    var channels: Int
    var kills: Int
    /// Seconds that something is away.
    var away: Int
    var prefill: Int
    /// Seconds from the end of a fault until everything that was listed then is published.
    var recovery: Double

    /// A debug build beside other tests is allowed more time than the goal of two target durations.
    static let short = FaultScale(channels: 2, kills: 6, away: 8, prefill: 300, recovery: 60)
    static let full = FaultScale(channels: 20, kills: 100, away: 60, prefill: 9_990, recovery: 4)

    static let isFull = ProcessInfo.processInfo.environment["FAULT_SCALE"] == "full"
    static let current = isFull ? full : short
}
