/// The bounds of this module.
package enum Limits {
    /// Identities loaded per rendition at take-over: two feeds of a long source playlist.
    package static let knownSegments = 10_000
    /// Segments read for one window and rendition: a day of one-second segments and a margin.
    package static let segmentsPerWindow = 100_000
    /// Gaps and spans in one timeline answer.
    package static let timelineEntries = 10_000
    /// Intake rows kept after their feed has moved on, hours.
    package static let intakeHours = 48
}
