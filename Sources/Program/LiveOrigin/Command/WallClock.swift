import Foundation

/// The wall clock of the program.
enum WallClock {
    /// Seconds since 1970.
    @Sendable static func seconds() -> Double { Date().timeIntervalSince1970 }
}
