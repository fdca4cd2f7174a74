import Concurrency
import Timeline

/// The host's clock as this program counts: in seconds since 1970.
enum WallClock {
    static let host = HostClock.system

    @Sendable static func seconds() -> Double { Microseconds.seconds(host.now().microseconds) }
}
