/// The bounds of this module.
package enum Limits {
    /// Identities loaded per rendition at take-over: two feeds of a long source playlist.
    package static let knownSegments = 10_000
    /// Segments read by one scan of quarters: a day of one-second segments fits.
    package static let segmentsPerScan = 100_000
    /// Segments of a rendition that are not in the archive yet, read for one head.
    static let pendingSegments = 1000
    /// Newest segments of a rendition that tell how far a channel's end lies behind the clock.
    static let arrivalSegments = 50
    /// They are looked for so far back, microseconds; a rendition that went on no more before says nothing.
    static let arrivalSpan: Int64 = 3_600_000_000
    /// Gaps and spans in one timeline answer.
    package static let timelineEntries = 10_000
    /// Channels that one measurement looks at.
    package static let measuredChannels = 10_000
    /// Intake rows kept after their feed has moved on, hours.
    package static let intakeHours = 48
    /// Changes that wait for a listener; behind them it looks at everything anew.
    static let waitingChanges = 1_000
    /// Quarters that an announcement names; their text stays far below the 8,000 bytes that a payload may have.
    static let announcedQuarters = 128
    /// Times that a batch is tried again because a day's partition went while it was entered.
    static let partitionTries = 3
    /// Microseconds of recording forgotten in one transaction: a day of one rendition is some 20,000 rows.
    ///
    /// The channel's line is locked meanwhile, and publishing must not wait for longer than a moment.
    static let expiredAtOnce: Int64 = 86_400_000_000
    /// Neighbouring quarters of an hour in which a 404 looks for something to offer: two days.
    static let quartersOffered = 192
    /// Stretches that a 404 offers.
    static let spansOffered = 5
}
