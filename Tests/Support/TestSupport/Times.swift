package import Timeline

/// 2016-07-26T05:05:16Z, a full second in every form of time: second zero of recordings in tests.
package let origin = Instant(milliseconds: 1_469_509_516_000)

/// The instant this many seconds after the origin.
package func at(_ seconds: Double) -> Instant {
    origin + Int64((seconds * 1_000_000).rounded())
}
