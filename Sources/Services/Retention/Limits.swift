/// The limits of this module.
enum Limits {
    /// Hours whose files are deleted in one round.
    static let hoursPerRound = 500
    /// Hours whose grace period one step under disk pressure ends early.
    static let hoursExpedited = 10
    /// Seconds until the deletion of an hour or object is tried again after a failure.
    static let postponedSeconds = 600
    /// Files that one check looks for, to see whether the archive has what the catalogue lists.
    static let archiveSample = 32
    /// The fewest different files on which such a check can decide.
    static let minimumArchiveSample = 8
    /// How long the result of such a check is used.
    static let archiveCheckPause = Duration.seconds(60)
    /// How long the catalogue must have been there before initialization sections and keys are deleted.
    ///
    /// Recorders enter what they have in their journals meanwhile; after an outage of many hours, with
    /// hundreds of channels, it may take them longer.
    static let backlogTime = Duration.seconds(600)
    /// Initialization sections and keys that are looked up with one statement.
    static let objectsPerStatement = 500
    /// Such batches in one round: 10,000 objects, ten times what a hundred channels with a key for each
    /// segment of three seconds leave in it.
    static let objectBatches = 20
    /// Files that must be creatable: what a hundred channels store until the next steps have freed some.
    static let fileFloor: Int64 = 5000
    /// Steps in one round under disk pressure; each deletes a quarter of an hour or some pending hours.
    static let stepsUnderPressure = 200
    /// Deletions whose space need not be free before the next one, at first: a file system frees it at once,
    /// or with its next transaction.
    static let unconfirmedSteps = 4
    /// The same after deletions have proved to have an effect, late: in the half minute that some file
    /// systems take a thousand channels complete as many quarters of an hour.
    static let maximumUnconfirmedSteps = 32
    /// The part of the floor, as a divisor, that such deletions may take together, however many they are:
    /// while much is written, no single one of a small channel is seen in the free space.
    static let unconfirmedShare: Int64 = 16
    /// The part of what was deleted, as a divisor, that must become free: others write meanwhile.
    ///
    /// The same part of what recorders are taken to have written meanwhile must show, too: they do not write
    /// evenly.
    static let effectShare: Int64 = 4
    /// The time, seconds, over which it is averaged how much is written.
    static let writingSeconds = 8.0
    /// How long deletions may take to have an effect, and hours that cannot be deleted wait.
    static let effectPause = Duration.seconds(60)
    /// How long nothing more of a channel expires whose files could not be deleted, at first; it doubles.
    static let stuckPause = Duration.seconds(600)
    /// The longest pause between deletions that have no effect: a quarter of an hour is lost in each.
    static let longestEffectPause = Duration.seconds(86_400)
    /// Seconds between two looks at the free space while an effect is waited for: recording writes less in
    /// between than one deletion frees.
    static let effectSeconds = 1
    /// Seconds between two rounds of retention.
    static let roundSeconds = 30
    /// Between two looks whether the catalogue is ready.
    static let readinessPause = Duration.seconds(1)
    /// Seconds between two checks of the free space.
    static let pressureSeconds = 5
    /// Microseconds by which a clock may be ahead of what is known: two synchronised clocks differ less, and
    /// one that is slowly corrected is followed.
    static let clockTolerance: Int64 = 60_000_000
    /// How long clocks that are ahead of what was recorded before a start must run evenly: recording, too,
    /// follows a step after this time.
    static let evenClockTime = Duration.seconds(300)
    /// How long clocks that have jumped ahead must run evenly until they are followed, by the tolerance in
    /// each round.
    ///
    /// By then the alert has been active for a day.
    static let jumpTime = Duration.seconds(86_400)
    /// Microseconds of a channel's recording that expire by age in one round.
    ///
    /// After a week without the service a day's backlog takes 12 minutes. A clock that stays wrong costs no
    /// more than this until it is set right.
    static let agedPerRound: Int64 = 3_600_000_000
    /// Microseconds of a channel's recording that expire by age at once: with fewer it waits.
    static let longestStep: Int64 = 900_000_000
    /// The same for a channel that holds nothing, and has losses or markers at most; it may be deleted.
    static let emptyStep: Int64 = 3_600_000_000
    /// The part of the retention, as a divisor, that may wait: a recording of an hour is kept half a minute
    /// longer.
    static let retentionShare: Int64 = 128
}
